// Recipes: the name of the factory of an environment and its options, as plain data, so that a run folder can build the
// environment again.
//
// Factories register the environments that they return. A changed copy of an environment is not registered, because its
// recipe would not describe the change.

import type { Environment } from "./environment.ts";

export interface Recipe {
  readonly factory: string;
  /** Options that JSON can hold. */
  readonly options: object;
}

const recipes = new WeakMap<Environment, Recipe>();

/** Registers the recipe of an environment, and returns the environment. */
export function withRecipe<E extends Environment>(environment: E, recipe: Recipe): E {
  recipes.set(environment, recipe);
  return environment;
}

/** The recipe of an environment; undefined if its factory did not register one. */
export function recipeOf(environment: Environment): Recipe | undefined {
  return recipes.get(environment);
}
