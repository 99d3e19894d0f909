"""ARIMA forecasts for bench/forecast: AutoARIMA of statsforecast, or else the best of a few SARIMA models of statsmodels.

Each input line is a request, `{"horizon", "season", "quantiles", "series"}`, with one list of values per series and no
missing values. Each output line is its answer, `{"forecasts": [{"mean", "quantiles"}]}`, with one forecast per series.
Quantiles are those of a normal distribution, like the intervals of both libraries.
"""

import json
import sys
import warnings
from statistics import NormalDist

import numpy as np

# The search over orders warns about models that it rejects.
warnings.filterwarnings("ignore")

try:
    from statsforecast.models import AutoARIMA
except ImportError:
    AutoARIMA = None
    from statsmodels.tsa.statespace.sarimax import SARIMAX

LEVEL = 80
LEVEL_QUANTILE = NormalDist().inv_cdf((100 + LEVEL) / 200)
# Orders (p, d, q), and whether there is a seasonal part with one autoregressive and one moving-average term. All have d = 1,
# so that their AIC values are comparable.
ORDERS = [((0, 1, 1), False), ((1, 1, 1), False), ((0, 1, 1), True), ((1, 1, 1), True), ((2, 1, 2), True)]


def auto_arima(values, horizon, season):
    """Mean and standard deviation of each step by statsforecast. Orders are compared by approximate likelihood, as R does
    for long series, because the exact likelihood takes ten times as long."""
    result = AutoARIMA(season_length=season, approximation=True).forecast(values, horizon, level=[LEVEL])
    return result["mean"], (result[f"hi-{LEVEL}"] - result["mean"]) / LEVEL_QUANTILE


def best_sarima(values, horizon, season):
    """The same by statsmodels, with the model of ORDERS that has the smallest AIC."""
    fits = [
        SARIMAX(values, order=order, seasonal_order=(1, 0, 1, season) if seasonal else (0, 0, 0, 0)).fit(disp=False)
        for order, seasonal in ORDERS
        if season > 1 or not seasonal
    ]
    result = min(fits, key=lambda fit: fit.aic).get_forecast(horizon)
    return result.predicted_mean, result.se_mean


def answer(request):
    forecast = auto_arima if AutoARIMA else best_sarima
    forecasts = []
    for values in request["series"]:
        mean, deviation = forecast(np.asarray(values, dtype=float), request["horizon"], request["season"])
        quantiles = [(mean + NormalDist().inv_cdf(q) * deviation).tolist() for q in request["quantiles"]]
        forecasts.append({"mean": mean.tolist(), "quantiles": quantiles})
    return {"forecasts": forecasts}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
