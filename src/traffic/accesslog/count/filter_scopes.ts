// What the result of a filter depends on, as bits. Both sides of the counter are compiled with this
// file.

/** Filter scope: the result depends on the request's timestamp in whole seconds. */
export const SECOND = 1;
/** Filter scope: the result depends on the HTTP status of the response. */
export const STATUS = 2;
/**
 * Filter scope: the result depends on the method and the path, or on the endpoint to which they
 * belong.
 */
export const ENDPOINT = 4;
/** Filter scope: the result depends on the user agent. */
export const AGENT = 8;
/** Filter scope: the result depends on the host to which the request was sent. */
export const HOST = 16;
/** Filter scope: the result may depend on anything in the request. */
export const REQUEST = 32;

// Results of filters. A result between `UNKNOWN` and `KEPT` is the number of the first filter that
// drops the request, counted from 1.

/** Filter result: the filters have not been called yet. */
export const UNKNOWN = 0;
/** Filter result: all filters keep the request. */
export const KEPT = 255;
/** Flag of a filter result that is valid only for this request and must not be stored. */
export const MASK_ONCE = 256;
