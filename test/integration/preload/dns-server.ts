/** Names are asked of the DNS server $DNS_SERVER, and of no other. */
import promises from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const { Resolver } = promises

promises.Resolver = class extends Resolver {
  constructor (options?: ConstructorParameters<typeof Resolver>[0]) {
    super(options)
    this.setServers([process.env.DNS_SERVER ?? ''])
  }
}
syncBuiltinESMExports()
