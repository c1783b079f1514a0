import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { syncDirectory, syncFile } from '@ipfsz/blockstore-compressed/fs'
import { NodeError, UsageError } from '../../errors.ts'
import type { PrivateKey } from '@libp2p/interface'

/** The key that the node of a repo is known by. */
export const SELF = 'self'

/**
 * The private key of a name in the repo, made where there is none. Nobody but the
 * owner may read the file.
 *
 * @throws {UsageError} no key can be called that
 * @throws {NodeError} the file holds no key
 */
export async function loadOrCreateKey (repo: string, name: string): Promise<PrivateKey> {
  const key = await loadKey(repo, name)

  if (key != null) {
    return key
  }

  const { generateKeyPair, privateKeyToProtobuf } = await import('@libp2p/crypto/keys')
  const created = await generateKeyPair('Ed25519')

  if (await writeNewKey(repo, name, privateKeyToProtobuf(created))) {
    return created
  }

  // another process was faster
  return loadOrCreateKey(repo, name)
}

/** The private key of a name, where there is one. */
export async function loadKey (repo: string, name: string): Promise<PrivateKey | undefined> {
  const file = fileOf(repo, name)
  let bytes: Uint8Array

  try {
    bytes = await readFile(file)
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') {
      return undefined
    }

    throw err
  }

  const { privateKeyFromProtobuf } = await import('@libp2p/crypto/keys')

  try {
    return privateKeyFromProtobuf(bytes)
  } catch (err) {
    throw new NodeError(`${file} holds no private key: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }
}

/** Whole or not at all, also after a loss of power, and never over a key that is there. */
async function writeNewKey (repo: string, name: string, bytes: Uint8Array): Promise<boolean> {
  const file = fileOf(repo, name)
  const temporary = `${file}.${randomUUID()}`

  await mkdir(keysIn(repo), { recursive: true, mode: 0o700 })

  try {
    await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
    await syncFile(temporary)
    await link(temporary, file)
    await syncNames(repo)

    return true
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'EEXIST') {
      return false
    }

    throw err
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Of the keys, of their directory, and of the repo, which may be as new. */
async function syncNames (repo: string): Promise<void> {
  for (const directory of [keysIn(repo), repo, dirname(repo)]) {
    await syncDirectory(directory)
  }
}

function keysIn (repo: string): string {
  return join(repo, 'keys')
}

function fileOf (repo: string, name: string): string {
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new UsageError(`"${name}" cannot be the name of a key: take letters, digits, - and _`)
  }

  return join(keysIn(repo), name)
}
