"""Units of measurement: one spelling each, and the factor to the base unit of their dimension."""

from __future__ import annotations

from typing import NamedTuple


class Unit(NamedTuple):
    """value in base unit = written value * factor + shift."""

    name: str
    dimension: str
    factor: float
    shift: float = 0.0


_TABLE: dict[str, tuple[tuple[float, str], ...]] = {
    "length": (
        (0.001, "millimetre millimetres millimeter millimeters mm"),
        (0.01, "centimetre centimetres centimeter centimeters cm"),
        (1, "metre metres meter meters m"),
        (1000, "kilometre kilometres kilometer kilometers km kms"),
        (0.0254, "inch inches in"),
        (0.3048, "foot feet ft"),
        (0.9144, "yard yards yd"),
        (1609.344, "mile miles mi"),
        (9.4607e15, "light_year light_years light-year light-years"),
    ),
    "area": (
        (1, "square_metres square_meters square_metre m² m2 sq_m"),
        (1e6, "square_kilometres square_kilometers square_kilometre km² km2 sq_km"),
        (2589988.11, "square_miles square_mile sq_mi"),
        (0.09290304, "square_feet square_foot sq_ft"),
        (10000, "hectare hectares ha"),
        (4046.8564, "acre acres"),
    ),
    "volume": (
        (0.001, "millilitre millilitres milliliter milliliters ml"),
        (1, "litre litres liter liters l L"),
        (3.785411784, "gallon gallons gal"),
    ),
    "mass": (
        (1e-6, "milligram milligrams mg"),
        (1e-3, "gram grams gramme grammes g"),
        (1, "kilogram kilograms kilo kilos kg kgs"),
        (1000, "tonne tonnes metric_ton metric_tons"),
        (0.45359237, "pound pounds lb lbs"),
        (0.028349523, "ounce ounces oz"),
    ),
    "speed": (
        (1 / 3.6, "kilometres_per_hour kilometers_per_hour km/h kph kmh"),
        (0.44704, "miles_per_hour mph"),
        (1, "metres_per_second meters_per_second m/s"),
    ),
    "time": (
        (1e-3, "millisecond milliseconds ms"),
        (1, "second seconds sec secs"),
        (60, "minute minutes min mins"),
        (3600, "hour hours hr hrs"),
        (86400, "day days"),
        (604800, "week weeks"),
    ),
    "months": (
        (1, "month months"),
        (12, "year years yr yrs"),
        (120, "decade decades"),
        (1200, "century centuries"),
    ),
    "percent": ((1, "percent per_cent % pct"),),
    "points": ((1, "percentage_points percentage_point percent_points"),),
    "usd": ((1, "dollars dollar usd us_dollars u.s._dollars"),),
    "eur": ((1, "euros euro eur"),),
    "gbp": ((1, "pounds_sterling gbp"),),
    "jpy": ((1, "yen jpy"),),
    "inr": ((1, "rupees rupee inr"),),
    "power": (
        (1, "watt watts W"),
        (1e3, "kilowatt kilowatts kW"),
        (1e6, "megawatt megawatts MW"),
        (1e9, "GW"),
    ),
    "storage": ((1, "MB megabyte megabytes"), (1e3, "GB gigabyte gigabytes"), (1e6, "TB terabyte terabytes")),
}

UNITS: dict[str, Unit] = {
    spelling.replace("_", " "): Unit(spellings.split()[0].replace("_", " "), dimension, factor)
    for dimension, rows in _TABLE.items()
    for factor, spellings in rows
    for spelling in spellings.split()
}
"""Spelling, words separated by one space, to unit."""

_DEGREES = (
    ("celsius", 1.0, 273.15, "degrees celsius|degree celsius|° c|°c|℃"),
    ("fahrenheit", 5 / 9, 459.67 * 5 / 9, "degrees fahrenheit|degree fahrenheit|° f|°f|℉"),
    ("kelvin", 1.0, 0.0, "kelvin|kelvins|K"),
)
UNITS |= {
    spelling: Unit(name, "temperature", factor, shift)
    for name, factor, shift, spellings in _DEGREES
    for spelling in spellings.split("|")
}
