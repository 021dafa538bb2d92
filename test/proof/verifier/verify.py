#!/usr/bin/env python3
"""Second verifier of proofs, independent of verify.mjs.

Written from docs/proof.md. Its author read neither verify.mjs, nor the maker of proofs, nor other notes about the format, and
settled differences between the two by that page, which was made clearer where it was not enough, from the output of
verify.test.ts. Python 3.11, its standard library, and openssl for the Ed25519 signatures.

    verify.py proof.zip [--key FILE]... [--checkpoint FILE]     0 if all holds, else 1 and one line about the first fault
    verify.py --batch                                           a JSON array of these arguments in each line of stdin
"""

import base64
import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

REGISTERS = {
    "frameworks.ndjson": "framework",
    "departments.ndjson": "department",
    "gaps.ndjson": "gap",
    "vendors.ndjson": "vendor",
    "requirements.ndjson": "requirement",
    "tasks.ndjson": "task",
    "comments.ndjson": "comment",
    "evidence.ndjson": "evidence",
    "keys.ndjson": "apiKey",
}
UNLISTED = {"manifest.json", "manifest.sig", "manifest.tsr"}
OF_REQUIREMENTS = {"requirements.ndjson", "requirements.csv"}
REQUIRED = {
    *REGISTERS.keys() - OF_REQUIREMENTS, "README.txt", "report.html", "tasks.csv", "vendors.csv", "members.ndjson", "events.ndjson",
    "fields.json", "signing-key.pem", "verify.mjs", "manifest.json", "manifest.sig",
}  # fmt: skip
OPERATOR = "00000000-0000-7000-8000-000000000001"
KINDS = ("plain", "time", "person", "people", "review")
HASH = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
STORED_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)")
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(\.|$))", re.IGNORECASE | re.ASCII)
REFUSED = re.compile('[\0-\x1f"*/:<>?\\\\|\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]')
OBJECT_NAMES = {
    "__proto__", "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
    "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}  # fmt: skip
UNRECORDED = {
    "task": {"evidenceCount", "next"}, "vendor": {"evidenceCount"}, "requirement": {"evidenceCount", "tasks"},
}  # fmt: skip
FORMULA = re.compile("'*[=+\\-@\t\r＝＋－＠]")
FORMULA_INSIDE = re.compile("([;\t\r\n] *)(?='*(?:[=+\\-@\t＝＋－＠]|\r(?!\n)))")
SPKI = bytes.fromhex("302a300506032b6570032100")  # SubjectPublicKeyInfo of Ed25519, before the 32 bytes of the key


class Wrong(Exception):
    """A proof that does not hold."""


# JSON as JavaScript reads and writes it


def number(text):
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= 2**53 else value


def unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(text):
    return json.loads(text, object_pairs_hook=unique, parse_int=number, parse_float=number, parse_constant=constant)


def write_number(value):
    if value in (float("inf"), float("-inf")):
        return "null"
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, _, exponent = format(Decimal(repr(value)).normalize(), "e").partition("e")
    return f"{mantissa}e{int(exponent):+d}"


def stringify(value, step="", margin=""):
    """Write like JSON.stringify: integer keys first, lone surrogates escaped."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return write_number(value)
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
    inner = margin + step
    if isinstance(value, list):
        parts, ends = [stringify(item, step, inner) for item in value], "[]"
    else:
        indexes = sorted((key for key in value if re.fullmatch("0|[1-9][0-9]{0,9}", key)), key=int)
        keys = [*indexes, *(key for key in value if key not in indexes)] if indexes else value
        colon = ": " if step else ":"
        parts, ends = [stringify(key) + colon + stringify(value[key], step, inner) for key in keys], "{}"
    if not parts or not step:
        return ends[0] + ",".join(parts) + ends[1]
    return f"{ends[0]}\n{inner}" + f",\n{inner}".join(parts) + f"\n{margin}{ends[1]}"


@dataclass
class Person:
    """A person as a proof must show it; None where the proof does not say."""

    id: str
    names: tuple | None
    kind: str | None

    def equals(self, value):
        return (
            isinstance(value, dict)
            and value.keys() == {"uniqueId", "name", "kind"}
            and value["uniqueId"] == self.id
            and (isinstance(value["name"], str) if self.names is None else value["name"] in self.names)
            and (isinstance(value["kind"], str) if self.kind is None else value["kind"] == self.kind)
        )


def same(expected, value):
    """Compare without the order of keys, and without the equality of 1 and True."""
    if isinstance(expected, Person):
        return expected.equals(value)
    if isinstance(expected, dict) and isinstance(value, dict):
        return expected.keys() == value.keys() and all(same(expected[key], value[key]) for key in expected)
    if isinstance(expected, list) and isinstance(value, list):
        return len(expected) == len(value) and all(map(same, expected, value))
    return type(expected) is type(value) and expected == value


# Times, hashes and keys


def is_time(value):
    return isinstance(value, str) and bool(TIME.fullmatch(value)) and utc(value) == value


def utc(stored):
    if not STORED_TIME.fullmatch(stored):
        raise ValueError(f"{stored} is not a time")
    moment = datetime.fromisoformat(stored).astimezone(timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def is_hash(value):
    return isinstance(value, str) and bool(HASH.fullmatch(value))


def name_in_proof(name):
    """Give the name of a file of evidence: docs/proof.md, "Files"."""
    name = REFUSED.sub("_", name)
    device = DEVICE.match(name)
    name = "_" + name[device.end() :] if device else name
    extension = (re.search(r"\.[^. ]{1,16}$", name) or [""])[0]
    stem = name[: len(name) - len(extension)]
    while len((stem + extension).encode()) > 200:
        stem = stem[:-1]
    return re.sub(r"[. ]+$", lambda end: "_" * len(end[0]), stem + extension)


def are_texts(*values):
    return all(isinstance(value, str) for value in values)


def is_count(value):
    return type(value) is int and value >= 0


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def fingerprint(key):
    text = f'{{"crv":"Ed25519","kty":"OKP","x":"{base64url(key)}"}}'
    return base64url(hashlib.sha256(text.encode()).digest())


def read_pem(text):
    match = re.fullmatch(r"\s*-----BEGIN PUBLIC KEY-----([\w+/=\s]+)-----END PUBLIC KEY-----\s*", text)
    der = base64.b64decode("".join(match[1].split()), validate=True) if match else b""
    if not der.startswith(SPKI) or len(der) != len(SPKI) + 32:
        raise ValueError("no Ed25519 public key")
    return der[len(SPKI) :]


def read_keys(text):
    """Read a PEM, or the Ed25519 keys of a JWK set."""
    if "-----BEGIN" in text:
        return [read_pem(text)]
    keys = [jwk for jwk in parse(text)["keys"] if (jwk.get("kty"), jwk.get("crv")) == ("OKP", "Ed25519")]
    if not keys:
        raise ValueError("no Ed25519 public key")
    return [base64.urlsafe_b64decode(jwk["x"] + "=") for jwk in keys]


def is_signed(key, data, signature):
    with tempfile.TemporaryDirectory() as folder:
        pem = f"-----BEGIN PUBLIC KEY-----\n{base64.b64encode(SPKI + key).decode()}\n-----END PUBLIC KEY-----\n"
        for name, content in (("key", pem.encode()), ("data", data), ("signature", signature)):
            Path(folder, name).write_bytes(content)
        arguments = "openssl pkeyutl -verify -pubin -inkey key -rawin -in data -sigfile signature"
        return len(signature) == 64 and not subprocess.run(arguments.split(), cwd=folder, capture_output=True).returncode


def der_items(data):
    """Split DER into [tag, content]."""
    items = []
    while data:
        tag, size, start = data[0], data[1], 2
        if size & 0x80:
            start += size & 0x7F
            size = int.from_bytes(data[2:start], "big")
        if size > len(data) - start:
            raise ValueError("the DER is cut off")
        items.append((tag, data[start : start + size]))
        data = data[start + size :]
    return items


def der_sequence(data, tag=0x30):
    ((found, content),) = der_items(data)
    if found != tag:
        raise ValueError("the DER has another structure")
    return der_items(content)


class Verifier:
    """Checks in the order of docs/proof.md. `place` is where it reads: each failure names it."""

    def __init__(self, path, keys, checkpoint):
        self.path, self.key_files, self.checkpoint_file = path, keys, checkpoint
        self.place = "ZIP"

    def need(self, holds, reason):
        if not holds:
            raise Wrong(f"{self.place}: {reason}")

    def run(self):
        try:
            return self.verify()
        except (ValueError, TypeError, LookupError, AttributeError, OSError, OverflowError, ArithmeticError,
                struct.error, zlib.error, RecursionError) as error:  # fmt: skip
            raise Wrong(f"{self.place}: malformed: {' '.join(str(error).split())}") from error

    def verify(self):
        keys = []
        for file in self.key_files:
            self.place = "--key"
            keys += read_keys(Path(file).read_text("utf-8"))
        self.place = "ZIP"
        self.read_zip(Path(self.path).read_bytes())
        self.check_manifest(keys)
        self.read_members()
        self.check_events()
        self.check_registers()
        self.check_members()
        self.check_csv("vendors", {})
        self.check_csv("tasks", self.task_names())
        if self.has_requirements:
            self.check_csv("requirements", self.requirement_names())
        self.check_files()
        company, head = self.manifest["company"], self.manifest["head"]
        return "; ".join([
            f"the proof holds: {company['name']} (company {company['id']}) at {self.manifest['asOf']}",
            f"head {head['sequence']} {head['hash']}",
            "registers rebuilt" if self.is_whole else "registers not rebuilt",
            f"key {fingerprint(self.key)}" + (" given" if keys else ""),
            *self.check_checkpoint(keys),
        ])  # fmt: skip

    # The ZIP

    def read_zip(self, data):
        self.digests, self.contents = {}, {}
        entries, start = self.read_directory(data)
        position = 0
        for entry in entries:
            position = self.read_entry(data, position, start, *entry)
        self.place = "ZIP"
        self.need(position == start, "bytes between the last file and the central directory")
        for name in sorted(REQUIRED - self.digests.keys()):
            self.place = name
            self.need(False, "is not in the ZIP")

    def read_directory(self, data):
        at = len(data) - 22
        end = struct.unpack_from("<IHHHHIIH", data, at)
        self.need(end[0] == 0x06054B50 and end[7] == 0, "no end record without a comment at the end")
        disks, (on_disk, count, size, start) = end[1:3], end[3:7]
        if 0xFFFF in (on_disk, count) or 0xFFFFFFFF in (size, start):
            at -= 76
            zip64 = struct.unpack_from("<IQHHIIQQQQ", data, at)
            self.need(zip64[:2] == (0x06064B50, 44) and zip64[4:6] == (0, 0), "the Zip64 end record is wrong")
            locator = struct.unpack_from("<IIQI", data, at + 56)
            self.need(locator == (0x07064B50, 0, at, 1), "the Zip64 locator is wrong")
            for value, short, limit in zip(zip64[6:], end[3:7], (0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)):
                self.need(short in (value, limit), "the end records differ")
            on_disk, count, size, start = zip64[6:]
        self.need(disks == (0, 0) and on_disk == count, "more than one disk")
        self.need(start + size == at, "the central directory does not end at the end records")
        entries, position = [], start
        for _ in range(count):
            self.place = "ZIP"
            header = struct.unpack_from("<IHHHHHHIIIHHHHHII", data, position)
            position += 46
            name_size, extra_size, comment_size = header[10:13]
            name = data[position : position + name_size].decode("utf-8")
            position += name_size
            entries.append((name, header, data[position : position + extra_size]))
            position += extra_size
            self.need(position <= at, "the central directory is too short")
            self.check_entry(name, header, comment_size, {entry[0] for entry in entries[:-1]})
        self.place = "ZIP"
        self.need(position == at, "bytes after the central directory")
        return entries, start

    def check_entry(self, name, header, comment_size, before):
        self.place = "ZIP"
        self.need(header[0] == 0x02014B50, "an entry of the central directory is wrong")
        is_known = name in REQUIRED | OF_REQUIREMENTS | {"manifest.tsr"} or re.fullmatch("files/[0-9a-f]{64}(/[^/]+)?", name)
        self.place = name if is_known else re.sub(r"[\x00-\x1f\x7f]", "?", name)
        self.need(is_known, "may not be in a proof")
        self.need(name not in before, "is there twice")
        flags, method = header[3:5]
        self.need(method in (0, 8) and flags & ~8 == 0x800, "another method or other flags")
        self.need(comment_size == 0 and header[13] == 0, "a comment, or another disk")
        self.need(header[15] >> 28 in (0, 8) and not header[15] & 0x10, "not a file")

    def read_entry(self, data, position, start, name, header, extra):
        self.place = name
        flags, method, crc, packed, size, offset = header[3], header[4], header[7], header[8], header[9], header[16]
        if extra[:4] == struct.pack("<HH", 0x5455, 5):
            self.need(len(extra) >= 9, "a wrong extra field")
            extra = extra[9:]
        has_zip64 = bool(extra)
        if has_zip64:
            self.need(extra[:4] == struct.pack("<HH", 1, 24) and len(extra) == 28, "another extra field")
            self.need((packed, size, offset) == (0xFFFFFFFF,) * 3, "sizes beside those of Zip64")
            size, packed, offset = struct.unpack_from("<QQQ", extra, 4)
        self.need(offset == position, "does not follow the file before it")
        local = struct.unpack_from("<IHHHHHIIIHH", data, position)
        self.need(local[0] == 0x04034B50 and local[2:6] == header[3:7], "the headers differ")
        self.need(local[6:9] == ((0, 0, 0) if flags & 8 else (crc, packed, size)), "CRC or sizes differ")
        position += 30
        self.need(local[9] == header[10] and data[position : position + local[9]] == name.encode(), "the names differ")
        self.need(local[10] == 0, "an extra field in the local header")
        position += local[9]
        self.need(position + packed <= start, "is longer than its place")
        self.inflate(name, data[position : position + packed], method, size)
        position += packed
        if flags & 8:
            form = "<IIQQ" if has_zip64 else "<IIII"
            self.need(struct.unpack_from(form, data, position) == (0x08074B50, crc, packed, size), "another descriptor")
            position += struct.calcsize(form)
        return position

    def inflate(self, name, packed, method, size):
        """Keep the digest of each file, and the content of those that are read again."""
        digest, length, parts = hashlib.sha256(), 0, []
        if method == 0:
            chunks = [packed]
        else:
            inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            chunks = self.chunks(inflater, packed, size)
        for chunk in chunks:
            digest.update(chunk)
            length += len(chunk)
            if not name.startswith("files/"):
                parts.append(chunk)
        self.need(method == 0 or (inflater.eof and not inflater.unused_data), "the compressed data end elsewhere")
        self.need(length == size, "another size")
        self.digests[name] = (size, digest.hexdigest())
        self.contents[name] = b"".join(parts)

    def chunks(self, inflater, packed, size):
        length = 0
        while packed and not inflater.eof:
            chunk = inflater.decompress(packed, 1 << 20)
            length += len(chunk)
            self.need(length <= size, "another size")
            yield chunk
            packed = inflater.unconsumed_tail
        if not inflater.eof:
            yield inflater.flush()

    # The manifest

    def check_manifest(self, keys):
        self.place = "manifest.json"
        data = self.contents["manifest.json"]
        manifest = self.manifest = parse(data.decode("utf-8"))
        self.need(stringify(manifest, "  ").encode() + b"\n" == data, "not as JSON.stringify writes it")
        self.check_keys(manifest, "product company from asOf frameworks evidence createdAt head files missing")
        product, company, head = manifest["product"], manifest["company"], manifest["head"]
        self.check_keys(product, "name version")
        self.check_keys(company, "id name")
        self.check_keys(head, "sequence hash")
        for file in manifest["files"]:
            self.check_keys(file, "path size sha256")
        for file in manifest["missing"]:
            self.check_keys(file, "sha256 size")
        sizes = [*manifest["files"], *manifest["missing"]]
        malformed = {
            "product": not are_texts(*product.values()),
            "company": not are_texts(company["name"]) or not is_count(company["id"]),
            "from": manifest["from"] is not None and not is_time(manifest["from"]),
            "asOf": not is_time(manifest["asOf"]),
            "frameworks": not all(map(is_count, manifest["frameworks"] or [])),
            "evidence": not isinstance(manifest["evidence"], bool),
            "createdAt": not is_time(manifest["createdAt"]),
            "head": not are_texts(head["hash"]) or not is_count(head["sequence"]),
            "files": not all(is_count(file["size"]) and is_hash(file["sha256"]) for file in sizes),
        }
        self.need(not any(malformed.values()), f"malformed: {[key for key in malformed if malformed[key]]}")
        self.is_whole, self.as_of = manifest["from"] is None, manifest["asOf"]
        self.check_signature(data, keys)
        self.check_digests()
        if "manifest.tsr" in self.contents:
            self.check_timestamp(data)

    def check_keys(self, value, keys):
        self.need(isinstance(value, dict) and list(value) == keys.split(), f"not an object with the keys {keys}")

    def check_digests(self):
        listed = set()
        for file in self.manifest["files"]:
            self.place = file["path"]
            self.need(file["path"] in self.digests.keys() - UNLISTED, "listed, but not a file of the ZIP")
            self.need(file["path"] not in listed, "listed twice")
            listed.add(file["path"])
            self.need(self.digests[file["path"]] == (file["size"], file["sha256"]), "not as in the manifest")
        for name in sorted(self.digests.keys() - UNLISTED - listed):
            self.place = name
            self.need(False, "not listed in the manifest")

    def check_signature(self, data, keys):
        self.place = "signing-key.pem"
        self.key = read_pem(self.contents["signing-key.pem"].decode("ascii"))
        self.place = "manifest.json"
        self.need(is_signed(self.key, data, self.contents["manifest.sig"]), "manifest.sig is not its signature")
        self.place = "signing-key.pem"
        self.need(not self.key_files or self.key in keys, f"{fingerprint(self.key)} is not one of the given keys")

    def check_timestamp(self, data):
        self.place = "manifest.tsr"
        self.need(len(self.contents["manifest.tsr"]) <= 1 << 16, "more than 64 KiB")
        status, (_, token) = der_sequence(self.contents["manifest.tsr"])
        self.need(der_items(status[1])[0] in ((2, b"\x00"), (2, b"\x01")), "the timestamp was not granted")
        signed = der_sequence(der_items(token)[1][1])
        content = der_items(der_items(signed[2][1])[1][1])
        info = der_sequence(content[0][1])
        algorithm, imprint = der_items(info[2][1])
        self.need(der_items(algorithm[1])[0][1].hex() == "608648016503040201", "the digest is not SHA-256")
        self.need(imprint[1] == hashlib.sha256(data).digest(), "a timestamp of another manifest")

    # Lines

    def lines(self, name, place=None):
        self.place = name
        text = self.contents[name].decode("utf-8")
        self.need(text == "" or text.endswith("\n"), "the last line has no end")
        for index, line in enumerate(text.split("\n")[:-1], 1):
            self.place = f"{name}: {place(index) if place else f'line {index}'}"
            row = parse(line)
            self.need(isinstance(row, dict) and stringify(row) == line, "not as JSON.stringify writes it")
            yield row

    # Members

    def read_members(self):
        self.members, last = {}, ""
        for row in self.lines("members.ndjson"):
            self.check_keys(row, "uniqueId name kind role frameworks createdAt endedAt identities")
            self.need(row["uniqueId"] > last, "not in the order of uniqueId")
            self.need(row["kind"] == "human", "kind is not human")
            last = row["uniqueId"]
            self.members[last] = row
            before = 0
            for identity in row["identities"]:
                self.check_keys(identity, "sequence name email salt proved")
                self.need(are_texts(identity["name"], identity["email"], identity["salt"]), "an identity is malformed")
                self.need(is_count(identity["sequence"]) and identity["sequence"] > before, "not ascending")
                before = identity["sequence"]
            self.need(before <= self.manifest["head"]["sequence"], "an identity after the head")

    def check_members(self):
        digests, created = {}, set()
        for event in self.events:
            if event["type"] == "member":
                changes, is_creation = event["changes"], event["action"] == "member.create"
                digest = changes.get("identity") if is_creation else None
                if not event["is_full"]:
                    digest = changes.get("identity", {}).get("to")
                if digest is not None:
                    digests[event["sequence"]] = (event["id"], digest)
                if is_creation and event["time"] <= self.as_of:
                    created.add(event["id"])
        given = self.rebuild("member") if self.is_whole else {}
        for index, (member, row) in enumerate(self.members.items(), 1):
            self.place = f"members.ndjson: line {index}"
            for identity in row["identities"]:
                sequence = identity["sequence"]
                is_proved = self.first < sequence
                self.need(identity["proved"] is is_proved, f"proved is wrong for sequence {sequence}")
                text = "\n".join((identity["salt"], identity["name"], identity["email"]))
                digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
                is_right = not is_proved or digests.get(sequence) == (member, digest)
                self.need(is_right, f"the identity is not that of sequence {sequence}")
            shown = {identity["sequence"] for identity in row["identities"]}
            wanted = {sequence for sequence, (owner, _) in digests.items() if owner == member} - self.late
            self.need(not shown or wanted <= shown, "an identity of the events is not there")
            self.need(row["name"] in self.person_at(member).names, "name is not that of asOf")
            if self.is_whole:
                self.need(member in created, "no event made this member")
                expected = given[member]
                if expected["endedAt"] is not None:
                    expected["role"] = None
                for field in ("role", "frameworks", "createdAt", "endedAt"):
                    self.need(same(expected[field], row[field]), f"{field} is not as the events give it")
        self.place = "members.ndjson"
        for member in sorted(created - self.members.keys()):
            self.need(False, f"the member {member} is not there")

    # People

    def person(self, person, names, sequence, kind=None):
        """A person at a sequence: the name with the highest sequence not above it, else the first."""
        if person in self.members:
            kind = kind or "human"
            if not names:
                return Person(person, ("Former member", person), kind)
        elif person == OPERATOR:
            return Person(person, ("Operator",), kind or "human")
        elif not names:
            return Person(person, None, kind)
        else:
            kind = kind or "integration"
        index = bisect_right([at for at, _ in names], sequence)
        return Person(person, (names[max(index - 1, 0)][1],), kind)

    def names_of(self, person):
        if person in self.members:
            return [(identity["sequence"], identity["name"]) for identity in self.members[person]["identities"]]
        return self.key_names.get(person, [])

    def person_in(self, person, sequence):
        return self.person(person, self.names_of(person), sequence)

    def person_at(self, person, kind=None):
        names = self.names_of(person)
        held = [name for name in names if name[0] not in self.late]
        return self.person(person, held or names[:1], self.manifest["head"]["sequence"], kind)

    def person_of(self, shown):
        return self.person_at(shown["uniqueId"], shown["kind"])

    def learn_key(self, event):
        """Names of the users of keys, from the events up to here."""
        if event["type"] != "apiKey":
            return
        changes = event["changes"]
        if event["action"] == "apiKey.create":
            self.key_users[event["id"]] = changes["user_id"]
            name = changes.get("name")
        else:
            name = None if event["is_full"] else changes.get("name", {}).get("to")
        if name is not None and event["id"] in self.key_users:
            self.key_names.setdefault(self.key_users[event["id"]], []).append((event["sequence"], name))

    # Events

    def read_fields(self):
        self.place = "fields.json"
        fields = self.fields = parse(self.contents["fields.json"].decode("utf-8"))
        self.check_keys(fields, "event types")
        columns = [(None, name, spec) for name, spec in fields["event"].items() if name != "changes"]
        for name, type_ in fields["types"].items():
            self.check_keys(type_, "columns derived")
            columns += [(name, column, spec) for column, spec in type_["columns"].items()]
            for derived in type_["derived"]:
                self.check_keys(derived, "field rule" if "rule" in derived else "field of equals")
                self.need(derived.get("rule", "requirement") == "requirement", f"{derived['field']}: the rule is unknown")
                self.check_name(derived["field"])
        for type_, column, spec in columns:
            self.need(spec["field"] is None or isinstance(spec["field"], str), f"{column}: field is malformed")
            self.need(spec["kind"] in KINDS, f"{column}: kind is unknown")
            self.check_name(column)
            self.check_name(spec["field"] or "")
            self.need(spec.keys() <= {"field", "kind", "default"}, f"{column}: malformed")

    def check_requirement_files(self):
        """A proof has the register if, and only if, fields.json has the rule."""
        self.has_requirements = bool(self.rules("requirement"))
        for name in sorted(OF_REQUIREMENTS):
            self.place = name
            is_right = (name in self.digests) is self.has_requirements
            self.need(is_right, "must be there if fields.json has the rule, and not otherwise")

    def rules(self, type_):
        derived = self.fields["types"].get(type_, {"derived": []})["derived"]
        return [one["field"] for one in derived if "rule" in one]

    def check_name(self, name):
        self.need(not OBJECT_NAMES.intersection(name.split(".")), f"{name} may not be a name")

    def check_events(self):
        self.read_fields()
        self.check_requirement_files()
        self.events, self.late, self.key_users, self.key_names = [], set(), {}, {}
        sequence = 0
        lines = self.lines("events.ndjson", lambda index: f"sequence {sequence + 1}" if index > 1 else "line 1")
        first = next(lines, None)
        self.need(first is not None, "no first line")
        self.check_keys(first, "sequence hash")
        sequence, before = first["sequence"], first["hash"]
        self.need(is_count(sequence) and (is_hash(before) if sequence else before == ""), "the first line is malformed")
        self.need(not self.is_whole or sequence == 0, "the first line is not the beginning of the log")
        self.first, self.seals, in_period = sequence, {sequence: (before, None)}, True
        for row in lines:
            sequence += 1
            is_late = "inPeriod" in row
            self.check_keys(row, "sequence hash sealed event" + (" inPeriod" if is_late else ""))
            self.need(row["sequence"] == sequence, f"the sequence is not {sequence}")
            self.need(isinstance(row["sealed"], str), "sealed is not a text")
            text = bytes.fromhex(before) + row["sealed"].encode("utf-8")
            self.need(row["hash"] == hashlib.sha256(text).hexdigest(), "the hash is wrong")
            before = row["hash"]
            event = self.check_event(sequence, row)
            is_in = (self.is_whole or event["time"] >= self.manifest["from"]) and event["time"] <= self.as_of
            self.need(row.get("inPeriod", True) is is_in, "inPeriod is wrong")
            self.need(is_in or len(self.events) > 1, "the first event is not in the period")
            in_period = is_in
            self.seals[sequence] = (before, event["time"])
        self.need(in_period, "the last event is not in the period")
        self.need(same({"sequence": sequence, "hash": before}, self.manifest["head"]), "head of manifest.json is another")

    def check_event(self, sequence, row):
        """Check that `event` shows what was sealed."""
        lines = row["sealed"].split("\n")
        self.need(len(lines) == 4 and lines[0] == str(sequence) and is_time(lines[1]), "sealed is malformed")
        columns, changes = parse(lines[2]), parse(lines[3])
        self.need(isinstance(columns, dict) and isinstance(changes, dict), "sealed is malformed")
        self.need(not columns.keys() & {"occurred_at", "changes"}, "sealed has a column twice")
        self.need(None not in columns.values(), "sealed has a column that is null")
        self.need(same(self.manifest["company"]["id"], columns["company_id"]), "the event is of another company")
        specs = self.fields["event"]
        columns["occurred_at"], time, kind = lines[1], lines[1], columns.get("user_kind")
        unknown = columns.keys() - specs.keys()
        self.need(not unknown, f"fields.json lacks {', '.join(sorted(unknown))}")
        type_ = columns["resource_type"]
        self.need(type_ in self.fields["types"], f"fields.json lacks the type {type_}")
        shown = row["event"]
        action = shown["action"]
        is_full = action.endswith((".create", ".delete"))
        event = {
            "sequence": sequence, "time": time, "type": type_, "id": shown["resource"]["uniqueId"], "action": action,
            "is_full": is_full, "changes": changes, "actor": shown["actor"], "kind": kind,
        }  # fmt: skip
        self.learn_key(event)
        plain = {name: spec for name, spec in specs.items() if name != "changes"}
        expected = self.show(plain, columns, lambda person: self.person_in(person, sequence))
        expected[specs["changes"]["field"]] = self.show_changes(type_, changes, is_full, sequence)
        expected |= {"sequence": sequence, "deleted": action.endswith(".delete")}
        self.check_shown(shown, expected)
        self.events.append(event)
        if time > self.as_of:
            self.late.add(sequence)
        return event

    def check_shown(self, shown, expected):
        for field in [*expected, *shown]:
            is_same = field in expected and field in shown and same(expected[field], shown[field])
            self.need(is_same, f"{field} is not as sealed")

    def show_changes(self, type_, changes, is_full, sequence):
        specs = self.fields["types"][type_]["columns"]
        unknown = changes.keys() - specs.keys()
        self.need(not unknown, f"fields.json lacks {', '.join(sorted(unknown))} of {type_}")
        there = {column: spec for column, spec in specs.items() if column in changes}

        def name(person):
            return self.person_in(person, sequence)

        if is_full:
            return self.derive(type_, self.show(there, changes, name))
        for column, change in changes.items():
            self.need(isinstance(change, dict) and change.keys() == {"from", "to"}, f"the change of {column} is malformed")
        sides = {side: self.show(there, {column: changes[column][side] for column in there}, name) for side in ("from", "to")}
        return {field: {"from": sides["from"][field], "to": sides["to"][field]} for field in sides["to"]}

    def show(self, specs, values, name):
        """The fields of columns."""
        row = {}
        for column, spec in specs.items():
            value, kind = values.get(column), spec["kind"]
            if value is not None and kind != "plain":
                value = self.shown(kind, value, name)
            if spec["field"] is None:
                continue
            outer, dot, inner = spec["field"].partition(".")
            if not dot:
                row[outer] = value
            elif isinstance(row.get(outer), Person):
                row[outer].kind = value or row[outer].kind
            elif any(column in values for column, spec in specs.items() if (spec["field"] or "").startswith(outer + ".")):
                row.setdefault(outer, {})[inner] = value
            else:
                row[outer] = None
        return row

    @staticmethod
    def shown(kind, value, name):
        if kind == "time":
            return utc(value)
        if kind == "person":
            return name(value)
        return {**value, "by": name(value["by"])} if kind == "review" else [name(one) for one in value]

    def derive(self, type_, row):
        for derived in self.fields["types"][type_]["derived"]:
            if "rule" not in derived:
                row[derived["field"]] = same(derived["equals"], row.get(derived["of"]))
        return row

    def derive_all(self, type_, row):
        """The derived fields of a register, with those of rules, which no event has."""
        self.derive(type_, row)
        for field in self.rules(type_):
            assessment = row["assessment"]
            result = "not_assessed" if assessment is None else assessment["result"]
            row[field] = None if not row["assessable"] else result if row["applicable"] else "not_applicable"
        return row

    # Registers

    def rebuild(self, type_):
        """Rows by the id of the resource, at `asOf`."""
        histories, rows = {}, {}
        for event in self.events:
            if event["type"] == type_:
                histories.setdefault(event["id"], []).append(event)
        specs = self.fields["types"].get(type_, {"columns": {}})["columns"]
        defaults = {column: spec["default"] for column, spec in specs.items() if "default" in spec}
        for resource, history in histories.items():
            while history and history[-1]["time"] > self.as_of:
                history.pop()
            values = None
            for event in history:
                changes = event["changes"]
                if event["is_full"]:
                    is_gone = event["action"].endswith(".delete") and type_ != "member"  # a member who has ended stays
                    values = None if is_gone else {**defaults, **changes}
                elif values is not None:
                    version = {"version": values["version"] + 1} if "version" in specs else {}
                    values |= {column: change["to"] for column, change in changes.items()} | version
            if values is not None:
                row = self.show(specs, values, self.person_at)
                if "version" in specs:
                    actor = event["actor"]
                    row["updatedAt"] = event["time"]
                    row["updatedBy"] = actor and self.person_at(actor["uniqueId"], event["kind"])
                rows[resource] = self.derive_all(type_, row)
        return rows

    def check_registers(self):
        self.rows = {}
        for name, type_ in REGISTERS.items():
            given = self.rebuild(type_).values() if self.is_whole else []
            expected = sorted((row for row in given if self.is_chosen(type_, row)), key=self.id_of)
            if name not in self.digests:
                self.rows[name] = expected
                continue
            rows = self.rows[name] = list(self.lines(name))
            if self.is_whole:
                self.check_rows(name, type_, rows, expected)
            else:
                self.check_shape(name, type_, rows)
            if type_ in ("task", "vendor", "requirement"):
                for index, row in enumerate(rows, 1):
                    self.place = f"{name}: line {index}"
                    self.need(list(row) == list(rows[0]), "other keys than the first row")

    @staticmethod
    def id_of(row):
        return row["uniqueId"] if "uniqueId" in row else row["id"]

    def is_chosen(self, type_, row):
        chosen = self.manifest["frameworks"]
        if chosen is None or type_ not in ("task", "requirement", "comment", "evidence"):
            return True
        if type_ in ("task", "requirement"):
            return row["framework"] in chosen
        resource = row["resource"]
        if resource["type"] == "vendor" or f"{resource['type']}s.ndjson" not in self.digests and not self.is_whole:
            return True
        return resource["uniqueId"] in {parent["uniqueId"] for parent in self.rows[f"{resource['type']}s.ndjson"]}

    def check_rows(self, name, type_, rows, expected):
        for index, row in enumerate(rows, 1):
            self.place = f"{name}: line {index}"
            self.need(index <= len(expected), "no event gives this row")
            wanted = expected[index - 1]
            self.need(self.id_of(row) == self.id_of(wanted), f"not the row of {self.id_of(wanted)}")
            self.check_row(type_, row, wanted)
        self.place = f"{name}: line {len(rows) + 1}"
        self.need(len(rows) == len(expected), "a row is missing")

    def check_row(self, type_, row, wanted):
        for field in wanted:
            self.need(field in row and same(wanted[field], row[field]), f"{field} is not as the events give it")
        self.need([field for field in row if field in wanted] == list(wanted), "the fields are in another order")
        for field in row.keys() - wanted.keys():
            self.need(field in UNRECORDED.get(type_, ()) and row[field] is None, f"{field} is no field, or not known then")

    def check_shape(self, name, type_, rows):
        """Check rows that cannot be rebuilt: their order, fields and people."""
        specs, last = self.fields["types"][type_]["columns"].values(), None
        shown = [(spec["field"].partition(".")[0], spec["kind"]) for spec in specs if spec["field"]]
        for index, row in enumerate(rows, 1):
            self.place = f"{name}: line {index}"
            self.need(last is None or self.id_of(row) > last, "not in the order of the ids")
            last = self.id_of(row)
            self.need(self.is_chosen(type_, row), "of another framework")
            wanted = {field: row[field] for field, _ in shown}
            for field, kind in shown:
                if row[field] is None:
                    continue
                if kind == "person":
                    wanted[field] = self.person_of(row[field])
                elif kind == "review":
                    wanted[field] = {**row[field], "by": self.person_of(row[field]["by"])}
            self.check_row(type_, row, self.derive_all(type_, wanted))

    # CSV

    def task_names(self):
        def names(file, field):
            return {self.id_of(row): row[field] for row in self.rows[file]}

        frameworks, departments = names("frameworks.ndjson", "name"), names("departments.ndjson", "name")
        gaps = names("gaps.ndjson", "title")
        return {
            "frameworkName": lambda task: frameworks.get(task["framework"]),
            "departmentName": lambda task: departments.get(task["departmentId"]),
            "gapTitles": lambda task: [gaps[gap] for gap in task["gaps"]],
        }

    def requirement_names(self):
        frameworks = {row["id"]: row["name"] for row in self.rows["frameworks.ndjson"]}
        refs = {row["uniqueId"]: row["ref"] for row in self.rows["requirements.ndjson"]}
        return {
            "frameworkName": lambda requirement: frameworks.get(requirement["framework"]),
            "parentRef": lambda requirement: refs.get(requirement["parent"]),
        }

    def check_csv(self, register, names):
        name, rows = f"{register}.csv", self.rows[f"{register}.ndjson"]
        type_ = self.fields["types"][REGISTERS[f"{register}.ndjson"]]
        self.place = name
        found = self.contents[name].decode("utf-8").split("\r\n")
        if rows:
            header = [*rows[0], *names]
        else:
            header = found[0].removeprefix("\ufeff").split(",")
            known = dict.fromkeys(self.show(type_["columns"], {}, str))
            known |= dict.fromkeys(derived["field"] for derived in type_["derived"])
            is_known = [field for field in header if field in known] == list(known)
            self.need(is_known and header[len(header) - len(names) :] == list(names), "the header is wrong")
        people = {spec["field"] for spec in type_["columns"].values() if spec["kind"] == "person"}
        table = []
        for row in rows:
            cells = [value["name"] if value and field in people else value for field, value in row.items()]
            table.append([*cells, *(of(row) for of in names.values())])

        def lines(guards_inside):
            records = [",".join(self.cell(value, guards_inside) for value in cells) for cells in [header, *table]]
            return ("\ufeff" + "\r\n".join([*records, ""])).split("\r\n")

        if found != lines(guards_inside=False):  # that of versions before 0.16.0
            self.check_lines(found, lines(guards_inside=True))

    def check_lines(self, found, expected):
        for index, line in enumerate(expected, 1):
            self.need(index <= len(found) and found[index - 1] == line, f"line {index} is not as the register gives it")
        self.need(len(found) == len(expected), "other lines than the register gives")

    @staticmethod
    def cell(value, guards_inside):
        if value is None:
            return ""
        text = value if isinstance(value, str) else stringify(value)
        is_formula = not isinstance(value, (int, float)) and FORMULA.match(text)
        if guards_inside:
            text = FORMULA_INSIDE.sub(r"\1'", text)
        if is_formula:
            text = "'" + text
        return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text

    # Files and the checkpoint

    def check_files(self):
        missing = [(file["sha256"], file["size"]) for file in self.manifest["missing"]]
        self.place = "manifest.json"
        self.need(len({sha256 for sha256, _ in missing}) == len(missing), "missing twice")
        places, rows = {}, set()
        for row in self.rows["evidence.ndjson"]:
            if row["kind"] == "file" and self.manifest["evidence"]:
                file = (row["sha256"], row["size"])
                rows.add(file)
                plain = f"files/{row['sha256']}"
                named = f"{plain}/{name_in_proof(row['name'])}"
                self.place = places.setdefault(
                    row["sha256"], named if named in self.digests and plain not in self.digests else plain
                )
                stored = self.digests.get(self.place)
                self.need(stored in (None, file[::-1]), "not the file that was attached")
                self.need((stored is None) is (file in missing), "must be in the ZIP or missing, and not both")
        for name in self.digests:
            self.place = name
            self.need(not name.startswith("files/") or name in places.values(), "no row of evidence has this file")
        for file in missing:
            self.place = f"files/{file[0]}"
            self.need(file in rows, "no row of evidence has this file")

    def check_checkpoint(self, keys):
        if not self.checkpoint_file:
            return []
        self.place = "--checkpoint"
        checkpoint = parse(Path(self.checkpoint_file).read_text("utf-8"))
        company, sequence, hash_, at = (checkpoint[field] for field in ("company", "sequence", "hash", "at"))
        self.need(same(self.manifest["company"]["id"], company), "of another company")
        self.need(is_count(sequence) and sequence in self.seals, f"sequence {sequence} is not in the proof")
        self.need(self.seals[sequence][0] == hash_, f"sequence {sequence} has another hash")
        self.need(self.seals[sequence][1] in (None, at), f"sequence {sequence} has another time")
        key = {fingerprint(key): key for key in [*keys, self.key]}.get(checkpoint["keyId"])
        if key:
            text = stringify({"company": company, "sequence": sequence, "hash": hash_, "at": at})
            signature = base64.b64decode(checkpoint["signature"], validate=True)
            self.need(is_signed(key, text.encode(), signature), "the signature is wrong")
        return [f"checkpoint {sequence} continued, " + ("signature checked" if key else "signature not checked")]


def verify(arguments):
    """Give the exit status and one line."""
    files, options, rest = [], {"--key": [], "--checkpoint": []}, list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument in options and rest:
            options[argument].append(rest.pop(0))
        else:
            files.append(argument)
    try:
        if len(files) != 1 or files[0].startswith("-") or len(options["--checkpoint"]) > 1:
            raise Wrong("usage: verify.py proof.zip [--key FILE]... [--checkpoint FILE]")
        return 0, Verifier(files[0], options["--key"], next(iter(options["--checkpoint"]), None)).run()
    except Wrong as wrong:
        return 1, str(wrong)


def main(arguments):
    if arguments == ["--batch"]:
        for line in sys.stdin:
            print(*verify(json.loads(line)), sep="\t", flush=True)
        return 0
    status, line = verify(arguments)
    print(line)
    return status


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
