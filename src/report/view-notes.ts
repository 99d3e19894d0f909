// What the charts of all views say below: whether their numbers are exact, and the notes of the view.

/** Fields that all views have. */
export interface ViewNotes {
  /** Whether the numbers are exact, or estimated from samples. */
  readonly exact: boolean;
  /** Sentences about what is shown. */
  readonly notes: readonly string[];
}

export function viewNotes({ exact, notes }: ViewNotes): string[] {
  return [exact ? "Exact." : "Estimated from samples.", ...notes];
}

/** Numbers of JSON, where null stands for one that does not exist. */
export function orNaN(value: number | null): number {
  return value ?? Number.NaN;
}
