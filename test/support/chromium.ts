import { createHash, X509Certificate } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { TLS } from './certificate.ts'
import { unpackedChromium } from './packed-chromium.ts'

/** Names of the program, the preferred one first. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Chromium looks for updates and the like by itself. With these flags it talks only to loopback. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-quic',
  '--disable-sync',
  '--metrics-recording-only',
  // no host resolves except loopback
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]',
  '--no-proxy-server'
]

/** A name that leads to loopback, though browsers do not take it for that: only https is secure there. */
export const SITE_HOST = 'site.test'

/** Flags with which `SITE_HOST` resolves, and the certificate of tests counts as one without errors. */
export function siteFlags (): string[] {
  const key = new X509Certificate(TLS.cert).publicKey.export({ type: 'spki', format: 'der' })

  return [
    ...CHROMIUM_FLAGS.map(flag => flag.replace('=MAP *', `=MAP ${SITE_HOST} 127.0.0.1, MAP *`)),
    // what has another error is not kept, neither as a file nor as a dictionary
    `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
    // Chromium uses dictionaries only with certificates of authorities that it comes with
    '--disable-features=CompressionDictionaryTransportRequireKnownRootCert'
  ]
}

/**
 * The Chromium to run: $CHROMIUM, then the first on the PATH, then the one that `npm ci`
 * installs on Linux, which takes some seconds to unpack the first time. Undefined if there is
 * none: Playwright then uses its own.
 */
export function findChromium (): string | undefined {
  return process.env.CHROMIUM ?? findOnPath(NAMES) ?? unpackedChromium()
}

/** The first program on the PATH of those with some names. */
export function findOnPath (names: readonly string[]): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter).filter(Boolean)

  return names.flatMap(name => directories.map(directory => join(directory, name))).find(isExecutable)
}

/** Whether a path is an executable file. */
export function isExecutable (path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
