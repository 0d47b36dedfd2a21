"""Scoring of finished dialogues: the papers' measures, their baselines, and what compares two raters."""
