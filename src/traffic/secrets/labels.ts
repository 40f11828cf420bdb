/**
 * Matches the names of members, elements and attributes whose value names another value, as in
 * `{"name": "password", "value": "…"}`.
 */
export const LABEL =
  /^(?:name|key|id|field|header|param|parameter|label|title|placeholder|property|attribute|type|k)$/i;

/** Matches the names of members and elements whose value is named by another member or element. */
export const LABELLED =
  /^(?:values?|val|v|text|content|contents|data|input|answer|string|(?:string|text|current|default|new|field)[_-]?value)$/i;
