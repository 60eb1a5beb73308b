import { child, children, identifier, type LuaFile, type Node, nodes } from './ast.js';

/** A local name: where it is bound, and the value it starts with if there is one. */
export interface Binding {
  readonly name: string;
  readonly line: number;
  /** The name where it is bound. */
  readonly node: Node;
  readonly topLevel: boolean;
  readonly isFunction: boolean;
  readonly init: Node | undefined;
  readonly owner: FunctionScope;
  references: number;
}

/** A use of a name; `binding` is undefined when the file itself does not bind it. */
export interface Reference {
  readonly name: string;
  readonly line: number;
  readonly node: Node;
  readonly write: boolean;
  readonly binding: Binding | undefined;
  /** The statement of the file's body in which it stands. */
  readonly statement: Node;
}

/** A function (or the whole file) with what Lua limits: locals alive at once, and upvalues. */
export interface FunctionScope {
  readonly line: number;
  readonly outer: FunctionScope | undefined;
  readonly upvalues: Set<Binding>;
  active: number;
  maxActive: number;
}

/** All names of a file, resolved by Lua's rules of scope. */
export interface Scopes {
  readonly bindings: readonly Binding[];
  readonly references: readonly Reference[];
  readonly functions: readonly FunctionScope[];
}

/** Resolves the names of a file. */
export function resolveScopes(file: LuaFile): Scopes {
  return new Resolver(file).result;
}

class Resolver {
  readonly result: {
    bindings: Binding[];
    references: Reference[];
    functions: FunctionScope[];
  } = { bindings: [], references: [], functions: [] };
  #blocks: Map<string, Binding>[] = [];
  #function: FunctionScope;
  #statement: Node | undefined;

  constructor(file: LuaFile) {
    this.#function = this.#openFunction(1);
    this.#blocks.push(new Map());
    for (const statement of file.body) {
      this.#statement = statement;
      this.#visit(statement);
    }
  }

  #openFunction(line: number): FunctionScope {
    const scope = { line, outer: this.#function, upvalues: new Set<Binding>(), active: 0 };
    const opened: FunctionScope = { ...scope, maxActive: 0 };
    this.result.functions.push(opened);
    return opened;
  }

  #block(run: () => void): void {
    const active = this.#function.active;
    this.#blocks.push(new Map());
    run();
    this.#blocks.pop();
    this.#function.active = active;
  }

  #occupy(count: number): void {
    this.#function.active += count;
    this.#function.maxActive = Math.max(this.#function.maxActive, this.#function.active);
  }

  #bind(node: Node | undefined, init: Node | undefined, isFunction = false): void {
    const name = identifier(node);
    if (!node || name === undefined) return;
    const topLevel = this.#blocks.length === 1;
    const line = node.loc.start.line;
    const owner = this.#function;
    const callable = isFunction || init?.type === 'FunctionDeclaration';
    const at = { name, line, node, topLevel };
    const binding = { ...at, isFunction: callable, init, owner, references: 0 };
    this.result.bindings.push(binding);
    this.#blocks.at(-1)?.set(name, binding);
    this.#occupy(1);
  }

  #refer(node: Node, write: boolean): void {
    const name = String(node.name);
    const binding = this.#blocks.findLast((block) => block.has(name))?.get(name);
    if (binding) {
      binding.references++;
      let scope: FunctionScope | undefined = this.#function;
      for (; scope && scope !== binding.owner; scope = scope.outer) scope.upvalues.add(binding);
    }
    const line = node.loc.start.line;
    const statement = this.#statement ?? node;
    this.result.references.push({ name, line, node, write, binding, statement });
  }

  #visitAll(list: readonly Node[]): void {
    for (const node of list) this.#visit(node);
  }

  #visit(node: Node): void {
    const special = this.#special[node.type];
    if (special) special(node);
    else this.#visitAll(children(node));
  }

  readonly #body = (node: Node): void => {
    this.#visitAll(nodes(node, 'condition'));
    this.#block(() => this.#visitAll(nodes(node, 'body')));
  };

  readonly #special: Readonly<Record<string, (node: Node) => void>> = {
    Identifier: (node) => this.#refer(node, false),
    MemberExpression: (node) => this.#visitAll(nodes(node, 'base')),
    TableKeyString: (node) => this.#visitAll(nodes(node, 'value')),
    LocalStatement: (node) => this.#visitLocal(node),
    AssignmentStatement: (node) => this.#visitAssignment(node),
    FunctionDeclaration: (node) => this.#visitFunction(node),
    ForNumericStatement: (node) => this.#visitFor(node),
    ForGenericStatement: (node) => this.#visitFor(node),
    WhileStatement: this.#body,
    IfClause: this.#body,
    ElseifClause: this.#body,
    ElseClause: this.#body,
    DoStatement: this.#body,
    // The condition of `repeat … until` sees the block's locals.
    RepeatStatement: (node) =>
      this.#block(() => this.#visitAll([...nodes(node, 'body'), ...nodes(node, 'condition')])),
  };

  #visitLocal(node: Node): void {
    const init = nodes(node, 'init');
    this.#visitAll(init);
    for (const [at, variable] of nodes(node, 'variables').entries()) this.#bind(variable, init[at]);
  }

  #visitAssignment(node: Node): void {
    this.#visitAll(nodes(node, 'init'));
    for (const target of nodes(node, 'variables')) {
      if (target.type === 'Identifier') this.#refer(target, true);
      else this.#visit(target);
    }
  }

  #visitFunction(node: Node): void {
    const name = child(node, 'identifier');
    if (name && node.isLocal === true) this.#bind(name, node, true);
    else if (name?.type === 'Identifier') this.#refer(name, true);
    else if (name) this.#visit(name);
    const outer = this.#function;
    this.#function = this.#openFunction(node.loc.start.line);
    this.#block(() => {
      for (const parameter of nodes(node, 'parameters')) this.#bind(parameter, undefined);
      this.#visitAll(nodes(node, 'body'));
    });
    this.#function = outer;
  }

  #visitFor(node: Node): void {
    for (const field of ['start', 'end', 'step', 'iterators']) this.#visitAll(nodes(node, field));
    this.#block(() => {
      // Lua keeps three hidden locals per loop.
      this.#occupy(3);
      for (const variable of [...nodes(node, 'variable'), ...nodes(node, 'variables')]) {
        this.#bind(variable, undefined);
      }
      this.#visitAll(nodes(node, 'body'));
    });
  }
}
