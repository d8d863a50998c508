"""The emulator child: it loads the interpreter and reads the state of the story."""
