"""Stages that run on this machine: the core's rules, a parser and the shipped models.

A claim and its grounds go through `rule_tier`, then retrieval and the verifier, then `value_check`; a finding
with its evidence comes out. Model calls run in threads, never on the event loop.
"""
