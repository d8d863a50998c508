"""Parses requests to the Messages API; fields that a local model does not support are refused by name."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from jsonschema import Draft202012Validator, SchemaError
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PositiveInt, ValidationError

from language_model.local.errors import bad_request

Text = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """A part of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Cache(Part):
    """The end of a cached prefix; ignored, because llama.cpp caches common prefixes by itself."""

    type: Literal["ephemeral"]
    ttl: str | None = None


class TextBlock(Part):
    """A block of text."""

    type: Literal["text"]
    text: Text
    cache_control: Cache | None = None
    citations: None = None


def _as_blocks(value: object) -> object:
    """A plain text becomes one block."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}] if value else []
    return value


Texts = Annotated[list[TextBlock], BeforeValidator(_as_blocks)]


class ToolUse(Part):
    """A call that the model made."""

    type: Literal["tool_use"]
    id: Text
    name: Text
    input: dict[str, Any]
    cache_control: Cache | None = None


class ToolResult(Part):
    """The result of a call."""

    type: Literal["tool_result"]
    tool_use_id: Text
    content: Texts = []
    is_error: bool = False
    cache_control: Cache | None = None


Block = Annotated[TextBlock | ToolUse | ToolResult, Field(discriminator="type")]


class MessageParam(Part):
    """One turn of the conversation."""

    role: Literal["user", "assistant"]
    content: Annotated[list[Block], BeforeValidator(_as_blocks), Field(min_length=1)]


class ToolParam(Part):
    """A tool that the model may call."""

    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,128}$")]
    input_schema: dict[str, Any]
    description: str = ""
    type: Literal["custom"] | None = None
    strict: bool | None = None
    cache_control: Cache | None = None


class ToolChoice(Part):
    """Whether the model must call a tool; it never calls more than one at a time."""

    type: Literal["auto", "any", "tool", "none"] = "auto"
    name: str | None = None
    disable_parallel_tool_use: bool = False


class OutputFormat(Part):
    """The shape of the reply."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    type: Literal["json_schema"]
    shape: dict[str, Any] = Field(alias="schema")


class OutputConfig(Part):
    """The wanted format of the reply."""

    format: OutputFormat | None = None


class ThinkingParam(Part):
    """Thinking, which a local model does not support."""

    type: Literal["disabled"]


class CountRequest(Part):
    """A prompt whose tokens are to be counted."""

    model: str
    messages: Annotated[list[MessageParam], Field(min_length=1)]
    system: Texts = []
    tools: list[ToolParam] = []
    tool_choice: ToolChoice = ToolChoice()
    output_config: OutputConfig = OutputConfig()
    thinking: ThinkingParam | None = None
    cache_control: Cache | None = None

    @property
    def callable_tools(self) -> list[ToolParam]:
        """The tools that the reply may call."""
        match self.tool_choice.type:
            case "none":
                return []
            case "tool":
                return [tool for tool in self.tools if tool.name == self.tool_choice.name]
        return self.tools

    @property
    def schema_of_reply(self) -> dict[str, Any] | None:
        """The JSON Schema that the reply must keep to; None: any text."""
        return self.output_config.format.shape if self.output_config.format else None


class LikelihoodRequest(CountRequest):
    """A prompt, and replies whose likelihoods are asked for. Not in the API: a page of Lantern's own."""

    replies: Annotated[list[Annotated[str, Field(min_length=1, max_length=400)]], Field(min_length=1)]


class MessageRequest(CountRequest):
    """A prompt that the model is to answer."""

    max_tokens: PositiveInt
    stream: bool = False
    stop_sequences: list[Text] = []
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: PositiveInt | None = None
    seed: Annotated[int, Field(ge=0)] | None = Field(None, description="Not in the API: llama.cpp's own.")
    metadata: dict[str, Any] | None = None
    service_tier: str | None = None


R = TypeVar("R", bound=CountRequest)


def request_in(body: bytes, kind: type[R]) -> R:
    """The request in a body.

    Raises:
        ApiFault: it is invalid, or needs a feature that a local model does not support.
    """
    try:
        request = kind.model_validate_json(body)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise bad_request(f"{where}: {fault['msg']}" if where else fault["msg"]) from error
    _check_turns(request)
    _check_tools(request)
    _check_shape(request)
    if isinstance(request, MessageRequest):
        _check_stops(request)
    return request


def _check_turns(request: CountRequest) -> None:
    if request.messages[0].role != "user":
        raise bad_request('messages: first message must use the "user" role')
    if request.messages[-1].role != "user":
        raise bad_request(
            "messages: the conversation must end with a user message; no reply can be begun for the model"
        )
    called: set[str] = set()
    for number, turn in enumerate(request.messages):
        for block in turn.content:
            if isinstance(block, ToolUse):
                called.add(block.id)
            if isinstance(block, ToolUse) and turn.role == "user":
                raise bad_request(f"messages.{number}: tool_use blocks can only be in assistant messages")
            if isinstance(block, ToolResult) and (turn.role != "user" or block.tool_use_id not in called):
                raise bad_request(
                    f"messages.{number}: unexpected tool_use_id {block.tool_use_id!r} in tool_result: "
                    "no earlier message has its tool_use"
                )


def _check_tools(request: CountRequest) -> None:
    names = [tool.name for tool in request.tools]
    if len(set(names)) < len(names):
        raise bad_request("tools: Tool names must be unique.")
    for number, tool in enumerate(request.tools):
        if tool.input_schema.get("type") != "object":
            raise bad_request(f"tools.{number}.input_schema.type: must be 'object'")
        _check_schema(f"tools.{number}.input_schema", tool.input_schema)
    choice = request.tool_choice
    if choice.type in ("any", "tool") and not request.callable_tools:
        raise bad_request(
            f"tool_choice: there is no tool {choice.name!r}" if names else "tool_choice: there are no tools"
        )


def _check_shape(request: CountRequest) -> None:
    shape = request.schema_of_reply
    if shape is None:
        return
    _check_schema("output_config.format.schema", shape)
    if request.callable_tools:
        raise bad_request(
            "output_config.format: a local model has either tools or a schema. Leave one of them out."
        )


def _check_stops(request: MessageRequest) -> None:
    if request.stop_sequences and (request.callable_tools or request.schema_of_reply is not None):
        raise bad_request("stop_sequences: a local model looks for them in words alone. Leave them out.")


def _check_schema(where: str, schema: dict[str, Any]) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise bad_request(f"{where}: {error.message}") from error
    if foreign := next((ref for ref in references(schema) if not ref.startswith("#/$defs/")), None):
        raise bad_request(f"{where}: the reference {foreign!r} leads out of its $defs")


def references(schema: Any) -> list[str]:
    """Every `$ref` in a schema."""
    if isinstance(schema, list):
        return [ref for item in schema for ref in references(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return own + [ref for value in schema.values() for ref in references(value)]
