/** What is counted in this process whether or not anybody asks, where a request may not have come far enough to be seen. */
export const processCounters = {
  /** Requests refused because the server had too much to do. */
  shedRequests: 0,
};
