/**
 * Loaded into a stage process before its entry. Node's permission model forbids fsync altogether, so a stage cannot
 * flush its own files; the workbench flushes them when the stage reports a commit (`durable-commit.ts`). Here the
 * calls become no-operations, so that the same file-writing code runs inside and outside a stage.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

if (process.permission !== undefined) {
  fs.fsyncSync = () => {}
  fs.fdatasyncSync = () => {}
  syncBuiltinESMExports()
}
