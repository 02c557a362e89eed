/** Certificates are valid from so many milliseconds before they are issued, for clocks that are late. */
export const clockSkew = 2 * 60_000;
