/** Where a path that is named for writing leads: links are followed, so that what is replaced is never the link itself. */
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { errorCode } from './input-file.ts'

/** As many as Linux follows before it answers ELOOP. */
const mostLinks = 40

/**
 * The place itself: absolute, its last part no link. What it leads to need not exist, nor its folder.
 * @throws BadInput where links form a loop, or a part of the path cannot be passed
 */
export function followLinks(path: string): string {
  let place = resolve(path)
  for (let links = 0; links <= mostLinks; links++) {
    if (!statOf(place, lstatSync, path)?.isSymbolicLink()) return place
    // Beside the folder that really holds the link: another link may lead to that folder.
    place = resolve(realpathSync(dirname(place)), readlinkSync(place))
  }
  throw new BadInput(path, 'symbolic links form a loop')
}

/**
 * The regular file that `path` names for writing, which may not exist yet; to be written whole and renamed onto.
 * @throws BadInput for a folder, a device, a pipe or a socket: a rename would put a file in its place
 */
export function outputFile(path: string): string {
  // Of the path itself: a link to an open pipe, as /proc has, names nothing that could be followed.
  const found = statOf(path, statSync, path)
  if (found === undefined || found.isFile()) return followLinks(path)
  throw new BadInput(path, found.isDirectory() ? 'is a folder, a file is needed' : `is ${kindOf(found)}, not a file`)
}

function kindOf(found: Stats): string {
  if (found.isFIFO()) return 'a named pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}

/** Undefined where nothing is there; whether its folder is missing too is for the writer to say. */
function statOf(place: string, stat: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return stat(place)
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOENT':
        return undefined
      case 'ENOTDIR':
        throw new BadInput(path, 'a part of the path is a file, not a folder')
      case 'EACCES':
      case 'EPERM':
        throw new BadInput(path, 'no permission to write here')
      case 'ELOOP':
        throw new BadInput(path, 'symbolic links form a loop')
      case 'ENAMETOOLONG':
        throw new BadInput(path, 'the path is too long')
      case 'ERR_INVALID_ARG_VALUE':
        throw new BadInput(path, 'holds a character that no path can have')
      default:
        throw error
    }
  }
}
