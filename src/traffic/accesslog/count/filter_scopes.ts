// What the result of a filter depends on, as bits. Both sides of the counter are compiled with this file.

/** The second of the timestamp. */
export const SECOND = 1;
/** The status. */
export const STATUS = 2;
/** The endpoint, or the method and the path. */
export const ENDPOINT = 4;
/** The user agent. */
export const AGENT = 8;
/** The host. */
export const HOST = 16;
/** Anything else in the request. */
export const REQUEST = 32;

// Results of filters. A result between `UNKNOWN` and `KEPT` is the number of the first filter that
// drops the request, counted from 1.

/** The filters were not called yet. */
export const UNKNOWN = 0;
/** All filters keep the request. */
export const KEPT = 255;
/** Flag of a result that is valid only for this request, so that it must not be stored. */
export const MASK_ONCE = 256;
