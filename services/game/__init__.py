"""The game service: executes actions in an emulator and says what came of them."""
