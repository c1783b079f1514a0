import { once } from 'node:events'
import { entryToJson, formatCombined, isLoopback, parseListenAddress, serveGateway } from '@ipfsz/node/gateway'
import { nodeContext } from '../context.ts'
import { UsageError } from '../errors.ts'
import { printStarted } from './print-gateway.ts'
import type { Context } from '../context.ts'
import type { ServedGateway, ServeGatewayOptions } from '@ipfsz/node/gateway'

export type { Compressed } from '@ipfsz/node/gateway'

export interface GatewayCommandOptions extends Omit<ServeGatewayOptions, 'onEntry'> {
  /** Whether to print a line for each request. */
  log?: boolean
}

/** What the options are called, for messages. */
export interface OptionNames {
  listen: string
  metrics: string
  public: string
}

const OPTION_NAMES: OptionNames = { listen: '--listen', metrics: '--metrics', public: '--public' }

/** How much of the access log may wait for a slow reader, in bytes. More lines are dropped, and counted. */
const MAX_WAITING = 1024 * 1024

export async function gateway (options: GatewayCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  checkAddresses(options, OPTION_NAMES)

  const running = await serveGateway(nodeContext(context), optionsOf(options, context))

  try {
    if (running.lacksOriginals) {
      output.note('no originals are indexed yet: run ipfsz originals index, or a daemon with --serve-originals')
    }

    tellStarted(running, options, context)
    output.result({ event: 'ready' }, 'The gateway is ready')

    if (!signal.aborted) {
      await once(signal, 'abort')
    }
  } finally {
    await running.stop()
  }
}

/** What the node needs to know, with where the access log goes. */
export function optionsOf (options: GatewayCommandOptions, { output }: Context): ServeGatewayOptions {
  return {
    ...options,
    onEntry: options.log === true || output.verbose
      ? entry => {
        const isRead = output.stdout.writableLength < MAX_WAITING

        if (isRead) {
          output.result(entryToJson(entry), formatCombined(entry))
        }

        return isRead
      }
      : undefined
  }
}

/** Print where a gateway is, and who can use it. */
export function tellStarted (running: ServedGateway, options: GatewayCommandOptions, context: Context): void {
  printStarted(running, options, context)

  if (options.fetch === true && options.public === true) {
    context.output.note('anyone who can reach this gateway can make it fetch and serve any content')
  }
}

/**
 * Check where a gateway is to listen.
 *
 * @param names - what the options are called
 */
export function checkAddresses (
  { listen, metrics, public: isPublic }: GatewayCommandOptions,
  names: OptionNames
): void {
  const addresses = [[names.listen, listen], ...metrics == null ? [] : [[names.metrics, metrics]]]

  for (const [option, address] of addresses) {
    if (!isLoopback(parseListenAddress(address)) && isPublic !== true) {
      throw new UsageError(
        `${option} ${address} allows other machines to connect: add ${names.public} to allow that, ` +
          'or listen on 127.0.0.1 and put a reverse proxy in front'
      )
    }
  }
}
