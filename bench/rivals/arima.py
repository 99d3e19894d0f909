"""ARIMA forecasts for bench/forecast: AutoARIMA of statsforecast, or else the best of a few seasonal models of statsmodels.

Each line of the input is a request, `{"horizon", "season", "quantiles", "series"}` with one list of values per series, none
missing; each line of the output answers one, `{"forecasts": [{"mean", "quantiles"}]}`, series by series. Quantiles are
normal, as the intervals of both libraries are.
"""

import json
import sys
import warnings
from statistics import NormalDist

import numpy as np

# What a search tries and drops is no news.
warnings.filterwarnings("ignore")

try:
    from statsforecast.models import AutoARIMA
except ImportError:
    AutoARIMA = None
    from statsmodels.tsa.statespace.sarimax import SARIMAX

LEVEL = 80
UNITS = NormalDist().inv_cdf((100 + LEVEL) / 200)
# Orders (p, d, q) and whether the season has one autoregression and one moving average, too. All are differenced once, so
# that their criteria can be compared.
ORDERS = [((0, 1, 1), False), ((1, 1, 1), False), ((0, 1, 1), True), ((1, 1, 1), True), ((2, 1, 2), True)]


def automatic(values, horizon, season):
    """Mean and deviation of each step by statsforecast; orders are compared by approximate likelihood, as R has it for so
    many rows, since the exact one takes ten times as long."""
    made = AutoARIMA(season_length=season, approximation=True).forecast(values, horizon, level=[LEVEL])
    return made["mean"], (made[f"hi-{LEVEL}"] - made["mean"]) / UNITS


def listed(values, horizon, season):
    """The same by statsmodels: of the listed orders the one with the least criterion of Akaike."""
    fits = [
        SARIMAX(values, order=order, seasonal_order=(1, 0, 1, season) if seasonal else (0, 0, 0, 0)).fit(disp=False)
        for order, seasonal in ORDERS
        if season > 1 or not seasonal
    ]
    made = min(fits, key=lambda fit: fit.aic).get_forecast(horizon)
    return made.predicted_mean, made.se_mean


def answer(request):
    outlook = automatic if AutoARIMA else listed
    forecasts = []
    for values in request["series"]:
        mean, deviation = outlook(np.asarray(values, dtype=float), request["horizon"], request["season"])
        quantiles = [(mean + NormalDist().inv_cdf(q) * deviation).tolist() for q in request["quantiles"]]
        forecasts.append({"mean": mean.tolist(), "quantiles": quantiles})
    return {"forecasts": forecasts}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
