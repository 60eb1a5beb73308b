/** The version of this package, as the gateway is told it. A test compares it with package.json. */
export const SDK_VERSION = '0.1.0';
