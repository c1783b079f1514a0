/** Where a gateway listens by default. */
export const DEFAULT_GATEWAY_ADDRESS = '127.0.0.1:8080'
