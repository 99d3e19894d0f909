"""Counts the floating-point operations of the matrix products in a JAX function, as bench/flops.ts does in a graph."""

import math

import jax


def matrix_flops(function, *arguments):
    """Operations of one call: a multiplication and an addition for each element of each product. Loops of a fixed length count
    with all their iterations, and of the branches of a condition the most expensive one."""
    return flops_of(jax.make_jaxpr(function)(*arguments).jaxpr)


def flops_of(jaxpr):
    total = 0
    for equation in jaxpr.eqns:
        inner = [flops_of(each) for each in inner_jaxprs(equation)]
        if equation.primitive.name == "dot_general":
            (contracted, _), _ = equation.params["dimension_numbers"]
            left = equation.invars[0].aval.shape
            elements = math.prod(equation.outvars[0].aval.shape)
            total += 2 * elements * math.prod(left[axis] for axis in contracted)
        elif equation.primitive.name == "scan":
            total += equation.params["length"] * sum(inner)
        elif equation.primitive.name == "cond":
            total += max(inner)
        else:
            total += sum(inner)
    return total


def inner_jaxprs(equation):
    for parameter in equation.params.values():
        for each in parameter if isinstance(parameter, (tuple, list)) else (parameter,):
            closed = getattr(each, "jaxpr", each)
            if hasattr(closed, "eqns"):
                yield closed
