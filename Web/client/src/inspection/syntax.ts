// Finds the first syntax error of a JSON text. The decoder reports only that there is one.

const DEPTH_MAX = 64;

/** The first syntax error of a text. */
export interface SyntaxFault {
  /** The offset of the error in UTF-16 code units. */
  offset: number;
  /** The error in words. */
  message: string;
}

class Fault {
  constructor(readonly message: string) { }
}

/** Returns the first syntax error of a text; null if it is valid JSON. */
export function syntaxFault(text: string): SyntaxFault | null {
  const reader = new Reader(text);
  try {
    reader.whole();
    return null;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return { offset: reader.at, message: fault.message };
  }
}

class Reader {
  at = 0;
  private depth = 0;

  constructor(private readonly text: string) { }

  whole(): void {
    this.value();
    this.skipSpace();
    if (this.at < this.text.length) throw new Fault("nothing may follow the value");
  }

  private value(): void {
    this.skipSpace();
    const next = this.text.charAt(this.at);
    switch (next) {
      case "": throw new Fault("the text ends where a value should be");
      case "{": return this.container("}", () => this.member());
      case "[": return this.container("]", () => this.value());
      case "\"": return this.string();
      case "t": return this.word("true");
      case "f": return this.word("false");
      case "n": return this.word("null");
      default:
        if (!/[-0-9]/.test(next)) throw new Fault("no value begins with this character");
        this.number();
    }
  }

  private container(end: string, part: () => void): void {
    if (this.depth === DEPTH_MAX) throw new Fault(`more than ${DEPTH_MAX} containers are open`);
    this.at += 1;
    this.depth += 1;
    this.skipSpace();
    if (!this.take(end)) {
      for (; ;) {
        part();
        this.skipSpace();
        if (this.take(end)) break;
        if (!this.take(",")) throw new Fault(`a comma or ${end} is missing`);
      }
    }
    this.depth -= 1;
  }

  private member(): void {
    this.skipSpace();
    if (this.text.charAt(this.at) !== "\"") throw new Fault("a member's name is missing");
    this.string();
    this.skipSpace();
    if (!this.take(":")) throw new Fault("a colon is missing");
    this.value();
  }

  private word(word: string): void {
    for (const letter of word) if (!this.take(letter)) throw new Fault(`this should be ${word}`);
  }

  private number(): void {
    this.take("-");
    if (!this.take("0")) this.digits();
    if (this.take(".")) this.digits();
    if (this.take("e") || this.take("E")) {
      if (!this.take("+")) this.take("-");
      this.digits();
    }
  }

  private digits(): void {
    const start = this.at;
    while (/[0-9]/.test(this.text.charAt(this.at))) this.at += 1;
    if (this.at === start) throw new Fault("a digit is missing");
  }

  private string(): void {
    this.at += 1;
    for (; ;) {
      const next = this.text.charAt(this.at);
      if (next === "") throw new Fault("the text ends inside a string");
      if (next < " ") throw new Fault("a control character must be escaped");
      this.at += 1;
      if (next === "\"") return;
      if (next === "\\") this.escape();
    }
  }

  private escape(): void {
    const next = this.text.charAt(this.at);
    if (next === "") throw new Fault("the text ends inside an escape");
    if (next !== "u") {
      if (!/["\\/bfnrt]/.test(next)) throw new Fault("this escape does not exist");
      this.at += 1;
      return;
    }
    this.at += 1;
    for (let digit = 0; digit < 4; digit += 1) {
      if (!/[0-9a-fA-F]/.test(this.text.charAt(this.at))) throw new Fault("a hexadecimal digit is missing");
      this.at += 1;
    }
  }

  private take(character: string): boolean {
    if (this.text.charAt(this.at) !== character) return false;
    this.at += 1;
    return true;
  }

  private skipSpace(): void { while (/[ \t\n\r]/.test(this.text.charAt(this.at))) this.at += 1; }
}
