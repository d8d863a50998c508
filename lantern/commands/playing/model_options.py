"""The options that limit what a session's calls of language models may cost."""

from __future__ import annotations

from typing import Annotated

import typer

from lantern.play.session_options import BUDGET_USD

BudgetUsd = Annotated[
    float | None,
    typer.Option(
        "--budget-usd", metavar="USD", help=f"What the model may cost; {BUDGET_USD:g}, if not given."
    ),
]
BudgetTokens = Annotated[
    int | None,
    typer.Option(
        "--budget-tokens", metavar="N", help="Tokens that it may read and write; no limit, if not given."
    ),
]
BudgetCalls = Annotated[
    int | None,
    typer.Option("--budget-calls", metavar="N", help="Times that it may be asked; no limit, if not given."),
]
