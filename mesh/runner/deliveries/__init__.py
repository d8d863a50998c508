"""Hands messages to a service: order, redelivery, acknowledgement, and what ended it."""
