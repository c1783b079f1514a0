import { UsageError } from '../errors.ts'
import { DEFAULT_GATEWAY_ADDRESS } from '@ipfsz/node/environment'
import { addPeerOptions, allowLocalOption, compressOption, routerOption, withNetwork } from './program-network.ts'
import { serveOriginalsOption } from './program-originals.ts'
import { collect, parseNumber, parseSize, parseSizeOrNone } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { GatewayCommandOptions } from '../commands/gateway.ts'
import type { NetworkFlags } from './program-network.ts'
import type { Command } from 'commander'

type GatewayFlags = NetworkFlags & GatewayCommandOptions

/** The options that need `--fetch`. */
const FETCHING = ['peer', 'gateway', 'router', 'allowLocal', 'timeout', 'cache'] as const

/** Define the command that serves a repo over HTTP. */
export function defineGatewayCommand (program: Command, context: () => Context): void {
  addPeerOptions(program.command('gateway')
    .description('serve this repo over HTTP, to browsers, curl and other IPFS nodes')
    .option('--listen <address>', 'address to listen on; port 0 picks a free port', DEFAULT_GATEWAY_ADDRESS)
    .option('--public', 'allow listening on addresses that other machines can reach')
    .option('--fetch', 'fetch content that is not in the repo from other nodes, through the daemon if one is running')
    .option(
      '--gateway <url>',
      'with --fetch, ask this HTTP gateway before peers (default: $IPFSZ_GATEWAYS); repeatable',
      collect(text => text, false)
    )
    .addOption(routerOption())
    .addOption(allowLocalOption())
    .option(
      '--cache <size>',
      'size of the disk cache for fetched blocks, or none (default: 10GiB)',
      parseSizeOrNone
    )
    .option(
      '--host <name>',
      'serve each CID on a subdomain of this host, CID.ipfs.NAME, as on localhost; repeatable',
      collect(text => text)
    )
    .addOption(compressOption('--compress [what]'))
    .option('--compress-cpu <percent>', 'maximum CPU use for compressing, of one core (default: 25)', parseNumber)
    .option('--compress-cache <size>', 'size of the memory cache for compressed blocks (default: 64MiB)', parseSize)
    .option('--log', 'log each request in the combined log format (default with --verbose)')
    .option('--metrics <address>', 'serve Prometheus metrics at http://ADDRESS/metrics')
    .option(
      '--trust-proxy <address>',
      'trust the X-Forwarded headers of this reverse proxy: an address, a range (10.0.0.0/8), or ' +
        'loopback; repeatable',
      collect(text => text)
    )
    .option('--max-requests <n>', 'maximum number of concurrent requests (default: 4096)', parseNumber)
    .option(
      '--max-requests-per-address <n>',
      'maximum number of concurrent requests from one address (default: 512)',
      parseNumber
    )
    .addOption(serveOriginalsOption()))
    .action(async (flags: GatewayFlags) => {
      if (flags.fetch !== true && FETCHING.some(name => flags[name] != null)) {
        throw new UsageError(
          '--peer, --gateway, --router, --allow-local, --timeout and --cache require --fetch'
        )
      }

      if (flags.compress == null && (flags.compressCpu ?? flags.compressCache) != null) {
        throw new UsageError('--compress-cpu and --compress-cache require --compress')
      }

      if (flags.maxRequests === 0 || flags.maxRequestsPerAddress === 0) {
        throw new UsageError('The limits of concurrent requests must be at least 1')
      }

      const { gateway } = await import('../commands/gateway.ts')
      await gateway(...withNetwork(flags, context()))
    })
}
