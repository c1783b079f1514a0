import type { Io } from '../io.ts'

/** The URLs of gateways in `$IPFSZ_GATEWAYS`, where commas or spaces separate them. */
export function gatewayUrls (env: Io['env']): string[] {
  return urlsIn(env.IPFSZ_GATEWAYS)
}

/** The same for the delegated routers in `$IPFSZ_ROUTERS`. */
export function routerUrls (env: Io['env']): string[] {
  return urlsIn(env.IPFSZ_ROUTERS)
}

function urlsIn (text = ''): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
