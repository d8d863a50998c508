"""What can be known of a session by folding its steps, where more than one service needs it.

Pure: no I/O, no clock, no chance. Each fold has one face, `after(step)`, and a repeated step is harmless.
"""
