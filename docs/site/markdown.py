"""Converts the Markdown of this repository's pages to HTML: headings, paragraphs, lists, tables, code, links, images."""
import re
from html import escape

FENCE = re.compile(r"^( *)```(\w*)\s*$")
ITEM = re.compile(r"^( *)([*-]|\d+\.) +(.*)$")
HEADING = re.compile(r"^(#{1,6}) (.*)$")
RULE = re.compile(r"^\|[ |:-]+\|\s*$")


def slug(text):
    """Returns the anchor of a heading, as hosts of Markdown make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def plain(text):
    """Returns the text of a line without its markup."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*]|<(https?://[^>]*)>", r"\1", text)


class Page:
    """The HTML of one page, with its headings and the targets of its links."""

    def __init__(self, text, link):
        """`link` maps the target of a link to an address in the site."""
        self.link = link
        self.headings = []
        self.anchors = {}
        self.blocks = []
        lines = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S).split("\n")
        self.html = self.convert(lines)

    # Blocks

    def convert(self, lines):
        output, index = [], 0
        while index < len(lines):
            line = lines[index]
            if not line.strip():
                index += 1
            elif match := FENCE.match(line):
                index = self.fence(lines, index, match, output)
            elif line.startswith("    "):
                index = self.indented(lines, index, output)
            elif match := HEADING.match(line):
                output.append(self.heading(len(match[1]), match[2]))
                index += 1
            elif line.startswith("|"):
                index = self.table(lines, index, output)
            elif ITEM.match(line):
                index = self.list(lines, index, output)
            elif line.startswith(">"):
                end = self.until(lines, index, lambda other: not other.startswith(">"))
                inner = self.convert([other[1:].removeprefix(" ") for other in lines[index:end]])
                output.append(f"<blockquote>{inner}</blockquote>")
                index = end
            else:
                end = self.until(lines, index, self.interrupts)
                output.append(f"<p>{self.inline(' '.join(part.strip() for part in lines[index:end]))}</p>")
                index = end
        return "\n".join(output)

    @staticmethod
    def until(lines, index, stops):
        index += 1
        while index < len(lines) and lines[index].strip() and not stops(lines[index]):
            index += 1
        return index

    @staticmethod
    def interrupts(line):
        return bool(FENCE.match(line) or HEADING.match(line) or ITEM.match(line) or line.startswith(("|", ">")))

    def fence(self, lines, index, match, output):
        indent, language = len(match[1]), match[2]
        end = index + 1
        while end < len(lines) and not re.match(r"^ *```\s*$", lines[end]):
            end += 1
        code = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines[index + 1:end])
        self.blocks.append((language, code))
        output.append(f'<pre tabindex="0"><code class="{escape(language)}">{escape(code)}</code></pre>')
        return end + 1

    def indented(self, lines, index, output):
        end = index
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        code = "\n".join(line[4:] for line in lines[index:end])
        output.append(f'<pre tabindex="0"><code>{escape(code)}</code></pre>')
        return end

    def heading(self, level, text):
        anchor = slug(text)
        count = self.anchors.get(anchor, 0)
        self.anchors[anchor] = count + 1
        if count:
            anchor = f"{anchor}-{count}"
        self.headings.append((level, plain(text), anchor))
        return f'<h{level} id="{anchor}"><a href="#{anchor}">{self.inline(text)}</a></h{level}>'

    def table(self, lines, index, output):
        end = self.until(lines, index, lambda line: not line.startswith("|"))
        rows = [self.cells(line) for line in lines[index:end] if not RULE.match(line)]
        has_head = end - index > 1 and RULE.match(lines[index + 1])
        html = []
        for number, row in enumerate(rows):
            tag = "th" if has_head and number == 0 else "td"
            cells = "".join(f"<{tag}>{self.inline(cell)}</{tag}>" for cell in row)
            # A head without words is left out.
            if tag == "td" or any(row):
                html.append(f"<tr>{cells}</tr>")
        output.append(f'<div class="wide" tabindex="0"><table>{"".join(html)}</table></div>')
        return end

    @staticmethod
    def cells(line):
        parts = re.split(r"(?<!\\)\|", line.strip()[1:-1])
        return [part.strip().replace("\\|", "|") for part in parts]

    def list(self, lines, index, output):
        indent = len(ITEM.match(lines[index])[1])
        tag = "ol" if ITEM.match(lines[index])[2][0].isdigit() else "ul"
        items = []
        while index < len(lines):
            match = ITEM.match(lines[index])
            if not match or len(match[1]) != indent:
                break
            width = match.end() - len(match[3])
            body, index = [match[3]], index + 1
            while index < len(lines):
                line = lines[index]
                if line.strip() and len(line) - len(line.lstrip()) <= indent:
                    break
                # A blank line ends the item unless something that belongs to it follows.
                following = next((other for other in lines[index:] if other.strip()), "")
                if not line.strip() and len(following) - len(following.lstrip()) <= indent:
                    break
                body.append(line[min(width, len(line) - len(line.lstrip())):])
                index += 1
            while index < len(lines) and not lines[index].strip() and any(
                    ITEM.match(other) and len(ITEM.match(other)[1]) == indent
                    for other in [next((other for other in lines[index:] if other.strip()), "")]):
                index += 1
            inner = self.convert(body)
            items.append(f"<li>{re.sub('^<p>(.*?)</p>', lambda found: found[1], inner, count=1, flags=re.S)}</li>")
        output.append(f"<{tag}>{''.join(items)}</{tag}>")
        return index

    # Inline

    def inline(self, text):
        """Returns the HTML of one line of text. Code is taken out first, because nothing in it is markup."""
        codes = []

        def keep(match):
            codes.append(f"<code>{escape(match[2].strip() if match[1] != '`' else match[2])}</code>")
            return f"\x00{len(codes) - 1}\x00"

        text = re.sub(r"(`+)(.+?)(?<!`)\1(?!`)", keep, text)
        text = escape(text, quote=False)
        text = re.sub(r"&lt;(https?://[^ &]*(?:&amp;[^ &]*)*)&gt;", r'<a href="\1">\1</a>', text)
        text = re.sub(r"!\[([^\]]*)\]\(([^)]*)\)", self.image, text)
        text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)]*)\)", self.anchor, text)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])", r"<em>\1</em>", text)
        # A name of DocC in double backticks was kept as code above.
        return re.sub(r"\x00(\d+)\x00", lambda match: codes[int(match[1])], text)

    def anchor(self, match):
        return f'<a href="{escape(self.link(match[2]))}">{match[1]}</a>'

    def image(self, match):
        return f'<img src="{escape(self.link(match[2]))}" alt="{escape(match[1])}" loading="lazy">'
