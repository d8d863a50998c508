"""The bus: typed publish and subscribe on NATS, the record, and the service runner."""
