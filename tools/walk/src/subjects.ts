import type { Tree } from './tree.js';

/** A transition or a query: what has one name in every layer. */
export interface ScriptSubject {
  /** `moveToFinished` */
  readonly name: string;
  /** `moveToFinished-14` */
  readonly label: string;
  readonly folder: 'transitions' | 'queries';
  /** The reasons of its `@rejects` line. */
  readonly rejects: readonly string[];
}

/** An RPC of the outer contract. */
export interface RpcSubject {
  /** `AddJob` */
  readonly name: string;
  /** `addJob`: the engine's method. */
  readonly method: string;
  /** `producer`: the service without its last word. */
  readonly service: string;
  /** Where the contract has it. */
  readonly path: string;
  readonly line: number;
}

/** The scripts of a folder of lua/. */
export function readScripts(tree: Tree, folder: ScriptSubject['folder']): readonly ScriptSubject[] {
  return tree.names(`lua/${folder}`).flatMap((file) => {
    const [, label, name] = /^((\w+)-\d+)\.lua$/.exec(file) ?? [];
    if (label === undefined || name === undefined) return [];
    const rejects = /^-- @rejects (.*)$/m.exec(tree.text(`lua/${folder}/${file}`))?.[1] ?? '';
    return [{ name, label, folder, rejects: rejects.split(/\s+/).filter(Boolean) }];
  });
}

const PROTO = 'proto/echomq/v1';

/** The RPCs of every service. */
export function readRpcs(tree: Tree): readonly RpcSubject[] {
  return tree
    .names(PROTO)
    .filter((name) => name.endsWith('_service.proto'))
    .flatMap((file) => {
      const path = `${PROTO}/${file}`;
      const lines = tree.text(path).split('\n');
      return lines.flatMap((text, index) => {
        const name = /^\s*rpc (\w+)\s*\(/.exec(text)?.[1];
        if (name === undefined) return [];
        const method = name.charAt(0).toLowerCase() + name.slice(1);
        const service = file.replace('_service.proto', '');
        return [{ name, method, service, path, line: index + 1 }];
      });
    });
}
