import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import puppeteer from 'puppeteer-core'
import { chromium } from 'playwright'
import { CHROMIUM_FLAGS, findChromium } from '../../support/chromium.ts'
import { findFirefox } from '../../support/firefox.ts'
import type { Browser } from 'puppeteer-core'

/** Where functions of in-client.ts run. */
export interface Client {
  evaluate <Argument, Result> (run: (arg: Argument) => Result, arg: Argument): Promise<Awaited<Result>>
}

/** A name that leads to loopback, though browsers do not take it for that: `http` there is not secure to them. */
export const INSECURE_HOST = 'gateway.test'

/** vitest ends what hangs: no limit of its own. */
const NO_TIMEOUTS = { timeout: 0, protocolTimeout: 0 }

/** Start the Chromium of the other tests. */
export async function startChromium (): Promise<Browser> {
  return puppeteer.launch({
    browser: 'chrome',
    executablePath: findChromium() ?? chromium.executablePath(),
    acceptInsecureCerts: true,
    ...NO_TIMEOUTS,
    args: [
      ...CHROMIUM_FLAGS.filter(flag => !flag.startsWith('--host-resolver-rules=')),
      `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, ` +
        'EXCLUDE localhost, EXCLUDE *.localhost',
      '--autoplay-policy=no-user-gesture-required'
    ]
  })
}

/**
 * Start Firefox. What it would ask of other machines by itself goes to a proxy that is not there.
 *
 * @param preferences - of `about:config`, besides those that keep it on this machine
 */
export async function startFirefox (preferences: Record<string, boolean> = {}): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox(),
    acceptInsecureCerts: true,
    ...NO_TIMEOUTS,
    extraPrefsFirefox: {
      ...preferences,
      'media.autoplay.default': 0,
      'network.dns.localDomains': INSECURE_HOST,
      'network.proxy.type': 1,
      'network.proxy.http': '127.0.0.1',
      'network.proxy.http_port': 9,
      'network.proxy.ssl': '127.0.0.1',
      'network.proxy.ssl_port': 9,
      'network.proxy.no_proxies_on': `127.0.0.1, localhost, .localhost, ${INSECURE_HOST}`
    }
  })
}

/** A page of a browser, in the origin of a gateway. */
export async function openPage (browser: Browser, origin: string): Promise<Client> {
  const page = await browser.newPage()
  await page.goto(`${origin}/ipfs/bafkqaaa?filename=empty.html`, { timeout: 0 })

  return { evaluate: async (run, arg) => page.evaluate(run as (arg: unknown) => unknown, arg) as Promise<never> }
}

/** A process of Node, which does not look at certificates. */
export function startNode (): Client & { close: () => void } {
  const child = fork(join(import.meta.dirname, 'node-program.ts'), {
    serialization: 'advanced',
    execArgv: ['--no-warnings'],
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  })

  return {
    evaluate: async (run, arg) => {
      child.send({ code: run.toString(), arg })
      const [{ result, error }] = await once(child, 'message') as [{ result?: never, error?: string }]

      if (error != null) {
        throw new Error(error)
      }

      return result as never
    },
    close: () => { child.disconnect() }
  }
}
