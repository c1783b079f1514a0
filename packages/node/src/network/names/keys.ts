import { access, link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { syncDirectory, syncFile } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { isEntryName } from '../../disk/entry-name.ts'
import { NodeError, UsageError } from '../../errors.ts'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import type { PrivateKey } from '@libp2p/interface'

/** The name of the key that is the identity of a repo's node. */
export const SELF = 'self'

/**
 * Loads a private key of the repo by name, and creates it if it is missing. Only the owner can read the file.
 *
 * @throws {UsageError} a key cannot have this name
 * @throws {NodeError} the file does not hold a key
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

  // another process created it first
  return loadOrCreateKey(repo, name)
}

/** Loads a private key of the repo by name. Undefined if there is none. */
export async function loadKey (repo: string, name: string): Promise<PrivateKey | undefined> {
  const file = fileOf(repo, name)
  const bytes = await readOwnFile(file)

  if (bytes == null) {
    return undefined
  }

  const { privateKeyFromProtobuf } = await import('@libp2p/crypto/keys')

  try {
    return privateKeyFromProtobuf(bytes)
  } catch (err) {
    throw new NodeError(`${file} is not a private key (${messageOf(err)}): move it away to create a new key`, {
      cause: err
    })
  }
}

/** Writes a key atomically, also across a power cut. Returns false if the name has a key already. */
async function writeNewKey (repo: string, name: string, bytes: Uint8Array): Promise<boolean> {
  const file = fileOf(repo, name)
  const temporary = `${file}.${randomUUID()}`

  await mkdir(keysIn(repo), { recursive: true, mode: 0o700 })

  try {
    await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
    await syncFile(temporary)
    const isNew = await nameNew(temporary, file)

    // the directory of the keys and its parents, any of which may be new
    for (const directory of isNew ? [keysIn(repo), repo, dirname(repo)] : []) {
      await syncDirectory(directory)
    }

    return isNew
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Name a file, unless the name is taken. Returns whether it was not. */
async function nameNew (temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file)

    return true
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EEXIST' || await access(file).then(() => true, () => false)) {
      return false
    }
  }

  // a file system without hard links, such as FAT
  await rename(temporary, file)

  return true
}

function keysIn (repo: string): string {
  return join(repo, 'keys')
}

/** Whether a key can have this name, which is that of its file. On Windows, `con` would be a device. */
export function isKeyName (name: string, system?: string): boolean {
  return /^[\w-]{1,64}$/.test(name) && isEntryName(name, system)
}

function fileOf (repo: string, name: string): string {
  if (!isKeyName(name)) {
    throw new UsageError(`"${name}" is not a valid key name. Use up to 64 letters, digits, - and _`)
  }

  return join(keysIn(repo), name)
}
