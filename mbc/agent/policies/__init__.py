"""The policies by name, imported when asked for."""

from __future__ import annotations

from importlib import import_module

from mbc.agent.policy import Policy
from mbc.errors import InvalidInput

POLICIES = {
    "heuristic": "mbc.agent.policies.heuristic:HeuristicPolicy",
    "greedy": "mbc.agent.policies.greedy:GreedyPolicy",
    "random": "mbc.agent.policies.random:RandomPolicy",
}


def make_policy(name: str) -> Policy:
    if name not in POLICIES:
        raise InvalidInput(f"no policy {name!r}; there are {', '.join(POLICIES)}")
    module, _, attribute = POLICIES[name].partition(":")
    return getattr(import_module(module), attribute)()
