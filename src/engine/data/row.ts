/** Row of a data source, by column. */
export type Row = Readonly<Record<string, unknown>>;
