/** Row of a data source: the value of each column by name. */
export type Row = Readonly<Record<string, unknown>>;
