"""The model of a session: what its record says of it, and what a resumed session keeps of it."""

from __future__ import annotations

from language_model.settings import ModelSettings
from mesh.errors import InputError
from mesh.printable import one_line
from schemas.language_model import ModelOptions

KEPT = ("api", "effort", "temperature", "deadline")
"""The settings of a model that a session keeps beside its name, where their variable is not set now."""


class OtherServer(InputError):
    """A resumed session would ask another server than before, which may be dearer."""

    def __init__(self, session: str, before: ModelOptions, now: ModelSettings) -> None:
        super().__init__(
            f"The session {session} has asked {one_line(before.name)} at {one_line(before.server)}, and now "
            f"{now.where} would be asked. Set {now.url_variable} to the server, or say by --model NAME "
            "what is to be asked."
        )


def model_options(models: ModelSettings) -> ModelOptions:
    """The model that is asked, and how, as a session records it."""
    given = models.deadline if "deadline" in models.model_fields_set else None
    return ModelOptions(
        name=models.name,
        server=models.where,
        api=models.api,
        effort=models.effort,
        temperature=models.temperature,
        deadline=given,
    )


def kept_model(
    session: str, models: ModelSettings, before: ModelOptions | None, named: bool
) -> ModelSettings:
    """The settings with which a resumed session asks: those of before, but for what is said now.

    `models`: the settings of today. `named`: whether the command line names the model.

    Raises:
        OtherServer: a server that is not on this machine would be asked in place of the one of before.
    """
    if before is None:
        return models
    unset = {name: getattr(before, name) for name in KEPT if name not in models.model_fields_set}
    kept = {name: value for name, value in unset.items() if value is not None}
    asked = models.model_copy(update=kept if named else {**kept, "name": before.name})
    is_elsewhere = asked.is_configured and before.server not in ("", asked.where)
    if is_elsewhere and not (named or asked.is_on_this_machine):
        raise OtherServer(session, before, asked)
    return asked
