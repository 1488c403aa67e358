"""Scales whose places exclude each other: each word against those of every other place."""

SCALES = (
    "debug | info | warning warn | error | critical fatal",
    "ascending | descending",
    "january | february | march | april | june | july | august | september | october | november | december",
    "monday | tuesday | wednesday | thursday | friday | saturday | sunday",
    "hourly | daily | weekly | monthly | yearly",
)
