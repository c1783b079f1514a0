import { FsDatastore } from 'datastore-fs'
import type { LinkDatastore } from '@ipfsz/core'

export interface OpenableDatastore extends LinkDatastore {
  open (): Promise<void>
  close (): Promise<void>
}

/** The datastores on which links are measured, without those that are not installed. */
export const DATASTORES: Readonly<Record<string, { make: (directory: string) => Promise<OpenableDatastore> }>> = {
  ...await isInstalled('datastore-level') ? { level: { make: makeLevel } } : {},
  fs: { make: async directory => new FsDatastore(directory) }
}

async function makeLevel (directory: string): Promise<OpenableDatastore> {
  // named by a variable, because the module may be missing
  const name = 'datastore-level'
  const { LevelDatastore } = await import(name) as { LevelDatastore: new (directory: string) => OpenableDatastore }

  return new LevelDatastore(directory)
}

async function isInstalled (name: string): Promise<boolean> {
  try {
    await import(name)

    return true
  } catch {
    return false
  }
}
