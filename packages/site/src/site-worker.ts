/**
 * The service worker of a published site. Bundled by scripts/bundle-command.ts. The file that imports it has set
 * `SiteConfig`.
 */
import { registerIpfsz } from '@ipfsz/gateway/service-worker'
import { gatewayBase } from './gateway-base.ts'
import type { SiteConfig } from './site-config.ts'

const { location, ipfszSite: { root, worker } } = globalThis as unknown as { location: Location, ipfszSite: SiteConfig }

registerIpfsz({ gateways: [gatewayBase(location)], site: { root, except: [worker] } })
