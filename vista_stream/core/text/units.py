"""Units of measurement: one spelling each, and the factor to the base unit of their dimension."""

from __future__ import annotations

from typing import NamedTuple

from vista_stream.core.text.stems import word_set


class Unit(NamedTuple):
    """A unit of measurement; value in the base unit = written value * factor + shift."""

    name: str
    dimension: str
    factor: float
    shift: float = 0.0


_TABLE: dict[str, tuple[tuple[float, str], ...]] = {
    "length": (
        (1e-9, "nanometre nanometres nanometer nanometers nm"),
        (1e-6, "micrometre micrometres micrometer micrometers micron microns µm μm"),
        (0.001, "millimetre millimetres millimeter millimeters mm"),
        (0.01, "centimetre centimetres centimeter centimeters cm"),
        (1, "metre metres meter meters m"),
        (1000, "kilometre kilometres kilometer kilometers km kms"),
        (0.0254, "inch inches in"),
        (0.3048, "foot feet ft"),
        (0.9144, "yard yards yd"),
        (1609.344, "mile miles mi"),
        (1852, "nautical_mile nautical_miles nmi"),
        (9.4607e15, "light_year light_years light-year light-years"),
    ),
    "area": (
        (1e-4, "square_centimetre square_centimetres square_centimeter square_centimeters cm² cm2 sq_cm"),
        (1, "square_metre square_metres square_meter square_meters m² m2 sq_m sqm"),
        (1e6, "square_kilometre square_kilometres square_kilometer square_kilometers km² km2 sq_km"),
        (2589988.11, "square_mile square_miles sq_mi"),
        (0.09290304, "square_foot square_feet sq_ft sqft ft² ft2"),
        (10000, "hectare hectares ha"),
        (4046.8564, "acre acres"),
    ),
    "volume": (
        (1e-6, "microlitre microlitres microliter microliters µl μl µL μL"),
        (0.001, "millilitre millilitres milliliter milliliters ml"),
        (0.01, "centilitre centilitres centiliter centiliters cl"),
        (0.1, "decilitre decilitres deciliter deciliters dl"),
        (1, "litre litres liter liters l L"),
        (1000, "cubic_metre cubic_metres cubic_meter cubic_meters m³ m3"),
        (3.785411784, "gallon gallons gal"),
        (0.946352946, "quart quarts"),
        (0.473176473, "pint pints"),
        (0.2365882365, "cup cups"),
        (0.0295735296, "fluid_ounce fluid_ounces fl_oz"),
        (0.0147867648, "tablespoon tablespoons tbsp"),
        (0.0049289216, "teaspoon teaspoons tsp"),
    ),
    "mass": (
        (1e-12, "nanogram nanograms ng"),
        (1e-9, "microgram micrograms mcg µg μg"),
        (1e-6, "milligram milligrams mg"),
        (1e-3, "gram grams gramme grammes g"),
        (1, "kilogram kilograms kilo kilos kg kgs"),
        (1000, "tonne tonnes metric_ton metric_tons Mg"),
        (0.45359237, "pound pounds lb lbs"),
        (0.028349523, "ounce ounces oz"),
        (6.35029318, "stone"),
    ),
    "speed": (
        (1 / 3.6, "kilometres_per_hour kilometers_per_hour km/h kph kmh"),
        (0.44704, "miles_per_hour mph"),
        (1, "metres_per_second meters_per_second m/s"),
        (1000, "kilometres_per_second kilometers_per_second km/s"),
        (1852 / 3600, "knot knots"),
    ),
    "time": (
        (1e-9, "nanosecond nanoseconds ns"),
        (1e-6, "microsecond microseconds µs μs"),
        (1e-3, "millisecond milliseconds ms"),
        (1, "second seconds sec secs"),
        (60, "minute minutes min mins"),
        (3600, "hour hours hr hrs h"),
        (86400, "day days"),
        (604800, "week weeks"),
        (1209600, "fortnight fortnights"),
    ),
    "months": (
        (1, "month months"),
        (12, "year years yr yrs"),
        (120, "decade decades"),
        (1200, "century centuries"),
    ),
    "percent": ((1, "percent per_cent % pct"),),
    "points": ((1, "percentage_points percentage_point percent_points"),),
    "usd": ((1, "usd dollar dollars us_dollars u.s._dollars"),),
    "eur": ((1, "eur euro euros"),),
    # A text seldom says cents of which dollar, or of the euro.
    "cents": ((1, "cent cents us_cents euro_cent euro_cents eurocent eurocents"),),
    "gbp": ((1, "gbp pounds_sterling pound_sterling"), (0.01, "pence penny")),
    "aud": ((1, "aud australian_dollar australian_dollars"),),
    "cad": ((1, "cad canadian_dollar canadian_dollars"),),
    "nzd": ((1, "nzd new_zealand_dollars"),),
    "hkd": ((1, "hkd hong_kong_dollars"),),
    "sgd": ((1, "sgd singapore_dollars"),),
    "chf": ((1, "chf swiss_franc swiss_francs franc francs"),),
    "cny": ((1, "cny yuan renminbi rmb"),),
    "jpy": ((1, "jpy yen"),),
    "inr": ((1, "inr rupee rupees"),),
    "sek": ((1, "sek swedish_kronor swedish_krona"),),
    "nok": ((1, "nok norwegian_kroner norwegian_krone"),),
    "dkk": ((1, "dkk danish_kroner danish_krone"),),
    "pln": ((1, "pln zloty zlotys złoty"),),
    "energy": (
        (1, "joule joules"),
        (1e3, "kilojoule kilojoules kJ kj"),
        (1e6, "megajoule megajoules MJ"),
        # In everyday language a calorie is a kilocalorie.
        (4184, "kilocalorie kilocalories kcal kcals calorie calories"),
        (3600, "watt_hour watt_hours watt-hour watt-hours Wh"),
        (3.6e6, "kilowatt_hour kilowatt_hours kilowatt-hour kilowatt-hours kWh kwh"),
        (3.6e9, "megawatt_hour megawatt_hours megawatt-hour megawatt-hours MWh"),
        (3.6e12, "gigawatt_hour gigawatt_hours gigawatt-hour gigawatt-hours GWh gwh"),
        (3.6e15, "terawatt_hour terawatt_hours terawatt-hour terawatt-hours TWh twh"),
    ),
    "power": (
        (1e-3, "milliwatt milliwatts mW"),
        (1, "watt watts W"),
        (1e3, "kilowatt kilowatts kW kw"),
        (1e6, "megawatt megawatts MW"),
        (1e9, "gigawatt gigawatts GW gw"),
        (745.7, "horsepower hp bhp"),
    ),
    "voltage": ((1e-3, "millivolt millivolts mV"), (1, "volt volts V"), (1e3, "kilovolt kilovolts kV kv")),
    "current": ((1e-3, "milliampere milliamperes milliamp milliamps mA"), (1, "ampere amperes amp amps")),
    "charge": ((1e-3, "milliamp_hours milliamp-hours mAh mah"), (1, "amp_hours amp-hours Ah")),
    "resistance": ((1, "ohm ohms Ω Ω"), (1e3, "kilohm kilohms kΩ kΩ")),
    "frequency": (
        (1, "hertz Hz hz"),
        (1e3, "kilohertz kHz khz"),
        (1e6, "megahertz MHz mhz"),
        (1e9, "gigahertz GHz ghz"),
    ),
    "rotation": ((1, "revolutions_per_minute rpm"), (60, "revolutions_per_second rps")),
    "substance": ((1e-6, "micromole micromoles µmol μmol"), (1e-3, "millimole millimoles mmol"), (1, "mol")),
    "pressure": (
        (1, "pascal pascals Pa"),
        (100, "hectopascal hectopascals hpa millibar millibars mbar hPa"),
        (1e3, "kilopascal kilopascals kPa kpa"),
        (1e6, "megapascal megapascals MPa"),
        (1e5, "bar"),
        (6894.757, "psi"),
        (133.3224, "mmHg mmhg"),
    ),
    "sound": ((1, "decibel decibels dB dBA db dba"),),
    "activity": ((1, "international_unit international_units IU iu"),),
    "storage": (
        (1e-3, "kilobyte kilobytes KB kB"),
        (1, "megabyte megabytes MB"),
        (1e3, "gigabyte gigabytes GB"),
        (1e6, "terabyte terabytes TB"),
        (1e9, "petabyte petabytes PB"),
        (1024e-6, "kibibyte kibibytes KiB"),
        (1.048576, "mebibyte mebibytes MiB"),
        (1073.741824, "gibibyte gibibytes GiB"),
    ),
    "transfer": (
        (1e-3, "kilobits_per_second kbps Kbps kbit/s kb/s"),
        (1, "megabits_per_second megabit megabits Mbps mbps Mbit/s Mb/s"),
        (1e3, "gigabits_per_second gigabit gigabits Gbps gbps Gbit/s Gb/s"),
        (8e-3, "kilobytes_per_second kB/s KB/s"),
        (8, "megabytes_per_second MB/s MBps"),
        (8e3, "gigabytes_per_second GB/s GBps"),
    ),
}
"""For each dimension, rows of the factor to its base unit and the spellings, with `_` for a space.

Spellings are case-sensitive; a word that is not here as written is looked up in lower case.
"""

UNITS: dict[str, Unit] = {
    spelling.replace("_", " "): Unit(spellings.split()[0].replace("_", " "), dimension, factor)
    for dimension, rows in _TABLE.items()
    for factor, spellings in rows
    for spelling in spellings.split()
}
"""The unit of each spelling, whose words are separated by one space."""
UNITS |= {
    spelling.replace(" per ", " an " if spelling.endswith("hour") else " a "): unit
    for spelling, unit in UNITS.items()
    if " per " in spelling
}

CURRENCY_CODES = word_set("usd eur gbp aud cad nzd hkd sgd chf cny jpy inr sek nok dkk pln")
"""Currency codes, which may also stand before an amount: "CHF 20"."""

_NOT_GLUED = frozenset({"in", "stone"})
_LONGEST_GLUED = 6
GLUED = sorted(
    (unit for unit in UNITS if len(unit) <= _LONGEST_GLUED and " " not in unit and unit not in _NOT_GLUED),
    key=lambda unit: (-len(unit), unit),
)
"""Spellings that may follow a number without a space, longest first: "50mg", "100MB/s"."""

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
