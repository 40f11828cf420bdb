// What the result of a filter depends on, as bits. Both sides of the counter are compiled with this file.

/** Filter scope: the second of the timestamp. */
export const SECOND = 1;
/** Filter scope: the status. */
export const STATUS = 2;
/** Filter scope: the method and path, or the endpoint that they belong to. */
export const ENDPOINT = 4;
/** Filter scope: the user agent. */
export const AGENT = 8;
/** Filter scope: the host. */
export const HOST = 16;
/** Filter scope: any other part of the request. */
export const REQUEST = 32;

// Results of filters. A result between `UNKNOWN` and `KEPT` is the number of the first filter that
// drops the request, counted from 1.

/** Filter result: the filters have not been called yet. */
export const UNKNOWN = 0;
/** Filter result: all filters keep the request. */
export const KEPT = 255;
/** Flag of a filter result that is valid only for this request and must not be stored. */
export const MASK_ONCE = 256;
