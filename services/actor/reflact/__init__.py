"""The policy that asks a language model: it reflects, names its objective, then acts."""
