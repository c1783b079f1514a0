import type { Io } from '../io.ts'

/** The URLs of gateways in `$IPFSZ_GATEWAYS`, where commas or spaces separate them. */
export function gatewayUrls (env: Io['env']): string[] {
  return (env.IPFSZ_GATEWAYS ?? '').split(/[\s,]+/).filter(Boolean)
}
