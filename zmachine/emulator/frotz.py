"""Jericho's C library, and the only place that knows it.

Jericho's own Python module is not imported: it brings NumPy, which takes 0.55 of the 0.6 seconds
of a child's start, and what it adds (templates, walkthroughs, spaCy) is not wanted here.
"""

from __future__ import annotations

import ctypes
import importlib.util
from dataclasses import dataclass
from pathlib import Path

INT, TEXT, POINTER = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p

SIGNATURES: dict[str, tuple[list[type], type | None]] = {
    "setup": ([TEXT, INT, TEXT, INT], TEXT),
    "step": ([TEXT], TEXT),
    "flush_buffer": ([], None),
    "dumb_get_screen": ([], TEXT),
    "dumb_clear_screen": ([], None),
    "is_supported": ([TEXT], INT),
    "halted": ([], INT),
    "getRAMSize": ([], INT),
    "setRAM": ([POINTER], None),
    "getStackSize": ([], INT),
    "getStack": ([POINTER], None),
    "setStack": ([POINTER], None),
    "getRngA": ([], ctypes.c_long),
    "getRngInterval": ([], INT),
    "getRngCounter": ([], INT),
    "setRng": ([ctypes.c_long, INT, INT], None),
    "get_narrative_text": ([], TEXT),
    "set_narrative_text": ([TEXT], None),
    "get_score": ([], ctypes.c_short),
    "get_max_score": ([], INT),
    "get_moves": ([], INT),
    "game_over": ([], INT),
    "victory": ([], INT),
    "get_self_object_num": ([], INT),
    "get_num_world_objs": ([], INT),
    "get_world_objects": ([POINTER, INT], None),
    "get_special_ram_size": ([], INT),
    "get_special_ram": ([POINTER], None),
}
REGISTERS = (
    ("getPC", "setPC"),
    ("getSP", "setSP"),
    ("getFP", "setFP"),
    ("get_opcode", "set_opcode"),
    ("getFrameCount", "setFrameCount"),
)
"""In the order in which they are restored."""

OBJECT_SIZE = 100
"""Bytes of Jericho's `zobject`: number, 64 of name, parent, sibling, child, 4 of attributes, properties."""
READ_CHAR = 0xF6
"""The instruction `read_char`, byte for byte (VAR:246; Standard 1.1, section 14)."""
QUIT = 0x0A
"""Where `quit` stands among the instructions without operands (0OP:186)."""
Routine = ctypes.CFUNCTYPE(None)


@dataclass(frozen=True, slots=True)
class MachineState:
    """Everything that decides how a game goes on, the random generator included."""

    ram: bytes
    stack: bytes
    registers: tuple[int, ...]
    random: tuple[int, int, int]
    narrative: bytes


def library() -> ctypes.CDLL:
    """The C library of the installed Jericho, its functions typed."""
    package = importlib.util.find_spec("jericho")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'jericho'. Install it: pip install jericho")
    lib = ctypes.CDLL(str(Path(package.submodule_search_locations[0]) / "libfrotz.so"))
    for name, (arguments, result) in SIGNATURES.items():
        function = getattr(lib, name)
        function.argtypes, function.restype = arguments, result
    for get, put in REGISTERS:
        getattr(lib, get).argtypes, getattr(lib, get).restype = [], INT
        getattr(lib, put).argtypes, getattr(lib, put).restype = [INT], None
    return lib


class Frotz:
    """One story in the C emulator. One per process: the library keeps everything in globals.

    The path needs a suffix, and the file is read during the call only.
    """

    def __init__(self, path: Path, data: bytes, seed: int) -> None:
        self._lib = library()
        self._data = data
        self._quit = False
        self._on_quit = Routine(self._has_quit)
        self._replace_quit()
        self.known = bool(self._lib.is_supported(bytes(path)))
        self.opening_text = decoded(self._lib.setup(bytes(path), seed, data, len(data))) + self._held_back()
        self._memory: int = POINTER.in_dll(self._lib, "zmp").value or 0
        self._halted = INT.in_dll(self._lib, "emulator_halted")
        self._ram_size: int = self._lib.getRAMSize()
        self._stack = ctypes.create_string_buffer(self._lib.getStackSize())
        self._registers = [getattr(self._lib, get) for get, _ in REGISTERS]
        self._objects = ctypes.create_string_buffer(OBJECT_SIZE * (self._lib.get_num_world_objs() + 1))
        self._special = ctypes.create_string_buffer(max(1, self._lib.get_special_ram_size()))

    def _replace_quit(self) -> None:
        """Stop at the instruction `quit`, which Jericho's library passes over, running into what follows."""
        routines = (POINTER * 16).in_dll(self._lib, "op0_opcodes")
        routines[QUIT] = ctypes.cast(self._on_quit, POINTER).value

    def _has_quit(self) -> None:
        self._quit = True
        INT.in_dll(self._lib, "emulator_halted").value = 1

    def step(self, action: str) -> str:
        """What the game prints. The action must be one line of ASCII, without a backslash."""
        return decoded(self._lib.step(action.encode("ascii") + b"\n")) + self._held_back()

    def _held_back(self) -> str:
        """The last word, which the library would keep for the next text, whichever that is."""
        self._lib.flush_buffer()
        word = decoded(self._lib.dumb_get_screen())
        self._lib.dumb_clear_screen()
        return word

    def state(self) -> MachineState:
        self._lib.getStack(self._stack)
        return MachineState(
            self.memory(0, self._ram_size),
            self._stack.raw,
            tuple(get() for get in self._registers),
            (self._lib.getRngA(), self._lib.getRngInterval(), self._lib.getRngCounter()),
            self._lib.get_narrative_text(),
        )

    def restore(self, state: MachineState) -> None:
        self._halted.value = 0
        self._quit = False
        self._lib.setRng(*state.random)
        self._lib.setRAM(state.ram)
        self._lib.setStack(state.stack)
        for (_, put), value in zip(REGISTERS, state.registers, strict=True):
            getattr(self._lib, put)(value)
        self._lib.set_narrative_text(state.narrative)

    def memory(self, start: int, length: int) -> bytes:
        """Bytes of the story's memory as it is now."""
        return ctypes.string_at(self._memory + start, length)

    def story(self) -> bytes:
        """The story's whole memory as it is now."""
        return self.memory(0, len(self._data))

    def halted(self) -> bool:
        """Whether the story has stopped for good by an error in it."""
        return not self._quit and bool(self._lib.halted())

    def has_quit(self) -> bool:
        """Whether the story has ended itself, by the instruction `quit`."""
        return self._quit

    def awaits_key(self) -> bool:
        """Whether the story waits for a single key, not for a line: a pause, or a menu."""
        return not self._quit and int(self._lib.get_opcode()) == READ_CHAR

    def place(self) -> tuple[int, ...]:
        """Where in its code, and how deep in its calls, the story reads; a question is read elsewhere."""
        return tuple(getattr(self._lib, get)() for get, _ in REGISTERS if get != "get_opcode")

    # The rest is true only of a story that is `known`.

    def score(self) -> int:
        return int(self._lib.get_score())

    def max_score(self) -> int:
        return int(self._lib.get_max_score())

    def moves(self) -> int:
        return int(self._lib.get_moves())

    def over(self) -> bool:
        return bool(self._lib.game_over())

    def won(self) -> bool:
        return bool(self._lib.victory())

    def player(self) -> int:
        return int(self._lib.get_self_object_num())

    def clean_objects(self) -> bytes:
        """Jericho's array of objects, without those that wander about by themselves."""
        ctypes.memset(self._objects, 0, len(self._objects))
        self._lib.get_world_objects(self._objects, 1)
        return self._objects.raw

    def special_memory(self) -> bytes:
        """What else tells one world of this story from another."""
        self._lib.get_special_ram(self._special)
        return self._special.raw


def decoded(text: bytes | None) -> str:
    return (text or b"").decode("cp1252", errors="replace")
