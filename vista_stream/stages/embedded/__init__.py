"""Stages that run on this machine: the core's rules, a parser and the shipped models.

A claim and its grounds pass through `rule_tier`, then retrieval and the verifier, then `value_check`. The
output is a finding with its evidence. Model calls run in threads, never on the event loop.
"""
