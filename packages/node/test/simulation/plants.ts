import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import type { ObjectStore } from '@ipfsz/shared-store/objects'
import type { Plant } from './plant.ts'

/** A seed from which on the fault is found soon; all of them are tried if it is not. */
export const FIRST_SEEDS: Readonly<Record<string, number>> = {
  'a clean-up ends rounds whose packs are not gone': 22,
  'sessions do not see rounds': 136,
  'pins are read once': 78,
  'a session does not look for its object after the pin': 22,
  'a session that was fenced takes its pin back': 25,
  'a session writes its object again with its lease': 49,
  'a pack that failed to be stored counts as stored': 72,
  'a pin that failed to be written counts as written': 56,
  'pins are added without a session': 45,
  'checksums are not compared': 24
}

/** Faults that somebody might make, each of which the simulation must find. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  'collections do not see sessions': { objects: objects => withoutKeys(objects, 'sessions/') },
  'sessions do not see rounds': { sessionObjects: objects => withoutKeys(objects, 'rounds/') },
  'lists end after one page': {
    objects: objects => ({
      ...objects,
      list: async function * (...args) {
        for await (const page of objects.list(...args)) {
          yield page
          return
        }
      }
    })
  },
  'pins are read once': {
    collection: pins => {
      const ls = pins.ls.bind(pins)
      let isRead = false
      pins.ls = async function * (...args) {
        if (!isRead) {
          isRead = true
          yield * ls(...args)
        }
      }
    }
  },
  'a session does not look for its object after the pin': {
    session: session => {
      const confirm = session.confirm.bind(session)
      let isConfirmed = false
      session.confirm = async options => {
        if (!isConfirmed) {
          isConfirmed = true
          await confirm(options)
        }
      }
    }
  },
  'a session that was fenced takes its pin back': { takesPinsBack: true },
  'sessions rely on condemned packs': {
    session: session => {
      const rely = session.relyOnPack.bind(session)
      session.relyOnPack = tail => rely(tail) || true
    }
  },
  'sessions object to nothing': {
    session: session => { session.relyOnPack = () => true }
  },
  'dead sessions are not fenced': {
    objects: objects => ({
      ...objects,
      delete: async (keys, options) => objects.delete(keys.filter(key => !key.startsWith('sessions/')), options)
    })
  },
  'a session writes its object again with its lease': {
    objects: objects => ({
      ...objects,
      put: async (key, bytes, options) => {
        await objects.put(key, bytes, options)

        if (key.startsWith('leases/')) {
          await objects.put(key.replace('leases/', 'sessions/'), bytes, options)
        }
      }
    })
  },
  'nothing is copied': {
    storage: ({ copier }) => { copier.put = async () => {} }
  },
  'packs are deleted before what was copied is stored': {
    storage: ({ copier }) => {
      const sync = copier.sync.bind(copier)
      copier.sync = async () => { sync().catch(() => {}) }
    }
  },
  'a clean-up ends rounds whose packs are not gone': {
    objects: objects => ({
      ...objects,
      put: async (key, bytes, options) => {
        await objects.put(key, bytes, options)

        if (key.startsWith('sessions/')) {
          const rounds = (await Array.fromAsync(objects.list('rounds/'))).flat()
          await objects.delete(rounds.map(({ key }) => key))
        }
      }
    })
  },
  'pins are written before their packs are stored': {
    storage: storage => {
      const sync = storage.sync.bind(storage)
      storage.sync = async () => { sync().catch(() => {}) }
    }
  },
  'a pack that failed to be stored counts as stored': {
    storage: ({ writer }) => {
      const sync = writer.sync.bind(writer)
      writer.sync = async () => sync().catch(() => {})
    }
  },
  'a pin that failed to be written counts as written': {
    objects: objects => ({
      ...objects,
      put: async (key, bytes, options) => key.startsWith('records/')
        ? objects.put(key, bytes, options).catch(() => {})
        : objects.put(key, bytes, options)
    })
  },
  'pins are added without a session': { pinsWithoutSession: true },
  'packs are listed once': {
    storage: ({ catalog }) => {
      const refresh = catalog.refresh.bind(catalog)
      let listed: Promise<void> | undefined
      catalog.refresh = async signal => (listed ??= refresh(signal))
    }
  },
  'packs say that no block links to another': {
    storage: ({ links }) => { links.of = async () => [] }
  },
  'checksums are not compared': {
    patch: () => {
      const { crc32 } = zlib
      zlib.crc32 = () => 0
      syncBuiltinESMExports()

      return () => {
        zlib.crc32 = crc32
        syncBuiltinESMExports()
      }
    }
  }
}

function withoutKeys (objects: ObjectStore, prefix: string): ObjectStore {
  return {
    ...objects,
    list: async function * (asked, options) {
      for await (const page of objects.list(asked, options)) {
        yield page.filter(({ key }) => !key.startsWith(prefix))
      }
    }
  }
}
