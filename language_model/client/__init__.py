"""The client of models' servers, whichever API they speak."""
