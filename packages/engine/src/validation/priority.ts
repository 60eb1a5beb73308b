/** The highest priority that the store can order. */
export const MAX_PRIORITY = 2_097_151;
