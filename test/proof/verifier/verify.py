"""Verifies a proof: verify.py proof.zip [--key FILE]... [--checkpoint FILE]

Written from docs/proof.md alone, with the standard library of Python and the command openssl.
With --batch it reads lines from its input, each a JSON list of arguments, and prints a line for each: the exit status, a tab, the text.
"""
import base64
import csv
import datetime
import hashlib
import io
import json
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

OPERATOR = "00000000-0000-7000-8000-000000000001"
REGISTERS = [
    ("frameworks", "framework"), ("departments", "department"), ("gaps", "gap"), ("vendors", "vendor"),
    ("tasks", "task"), ("comments", "comment"), ("evidence", "evidence"), ("keys", "apiKey"),
]  # fmt: skip
NAMES = {"README.txt", "report.html", "tasks.csv", "vendors.csv", "members.ndjson", "events.ndjson", "fields.json"}
NAMES |= {"signing-key.pem", "verify.mjs"} | {name + ".ndjson" for name, _ in REGISTERS}
OUTSIDE = {"manifest.json", "manifest.sig", "manifest.tsr"}
SPKI = bytes.fromhex("302a300506032b6570032100")
MISSING = object()


class Wrong(Exception):
    def __init__(self, place, message):
        text = "".join(c if c.isprintable() else "?" for c in f"{place}: {message}")
        super().__init__(text[:300])


def equal(one, other):
    """Equality of JSON. In Python 1 equals True, and 1.0 equals 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return type(one) in (type(other), int, float) and one == other


def once(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def read_zip(path):
    """Returns the bytes of each file, after comparing the two directories of the ZIP."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 22 or data[-22:-18] != b"PK\5\6" or data[-2:] != b"\0\0":
        raise Wrong("ZIP", "it does not end with the end record")
    disk, start_disk, here, count, size, offset = struct.unpack("<HHHHII", data[-18:-2])
    end = len(data) - 22
    if count == 0xFFFF or 0xFFFFFFFF in (size, offset):
        end -= 76
        record = struct.unpack("<IQHHIIQQQQ", data[end : end + 56])
        locator = struct.unpack("<IIQI", data[end + 56 : end + 76])
        wide = record[7:]
        if record[:2] != (0x06064B50, 44) or record[4:6] != (0, 0) or record[6] != wide[0]:
            raise Wrong("ZIP", "the Zip64 end record is wrong")
        if locator != (0x07064B50, 0, end, 1):
            raise Wrong("ZIP", "the Zip64 locator is wrong")
        for narrow, limit, value in zip((count, size, offset), (0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF), wide):
            if narrow not in (limit, value):
                raise Wrong("ZIP", "the end records disagree")
        count_of_all, size, offset = wide
    else:
        count_of_all = count
    if disk or start_disk or here != count or offset + size != end:
        raise Wrong("ZIP", "the end record is wrong")
    try:
        infos = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
        raise Wrong("ZIP", f"it cannot be read: {error}") from None
    if len(infos) != count_of_all:
        raise Wrong("ZIP", "the number of entries is another")
    seen = set()
    for info in infos:
        name = info.orig_filename
        if name not in NAMES | OUTSIDE and not re.fullmatch("files/[0-9a-f]{64}", name):
            raise Wrong(name, "a proof has no such file")
        if name in seen:
            raise Wrong(name, "it is there twice")
        seen.add(name)
        extra = re.fullmatch(rb"(?:UT\x05\x00.{5})?(?:\x01\x00\x18\x00.{24})?", info.extra, re.S)
        plain = info.flag_bits | 8 == 0x808 and info.external_attr >> 28 in (0, 8) and not info.comment
        stored = info.compress_type == 0 and info.file_size == info.compress_size
        if not extra or not plain or not (stored or info.compress_type == 8):
            raise Wrong(name, "it is not a plain file")
    files = {}
    at = 0
    for info in sorted(infos, key=lambda one: one.header_offset):
        name = info.orig_filename
        if info.header_offset != at:
            raise Wrong(name, "it does not begin where the file before it ends")
        start = at + 30 + len(name)
        local = struct.unpack("<IHHHHHIIIHH", data[at : at + 30])
        year, month, day, hour, minute, second = info.date_time
        time = (hour << 11 | minute << 5 | second // 2, year - 1980 << 9 | month << 5 | day)
        streamed = info.flag_bits & 8
        sizes = (0, 0, 0) if streamed else (info.CRC, info.compress_size, info.file_size)
        expected = (0x04034B50, info.flag_bits, info.compress_type, *time, *sizes, len(name), 0)
        if (local[0], *local[2:]) != expected or data[at + 30 : start] != name.encode():
            raise Wrong(name, "its local header disagrees with the central directory")
        at = start + info.compress_size
        raw = data[start:at]
        if streamed:
            form = "<IIQQ" if len(info.extra) >= 28 else "<IIII"
            length = struct.calcsize(form)
            descriptor = (0x08074B50, info.CRC, info.compress_size, info.file_size)
            if at + length > offset or struct.unpack(form, data[at : at + length]) != descriptor:
                raise Wrong(name, "its data descriptor disagrees with the central directory")
            at += length
        files[name] = (info, raw)
    if at != offset:
        raise Wrong("ZIP", "there are bytes before the central directory")
    return files


class Proof:
    def __init__(self, path):
        self.files = read_zip(path)
        for name in sorted(NAMES | {"manifest.json", "manifest.sig"}):
            if name not in self.files:
                raise Wrong(name, "it is missing")

    def content(self, name):
        info, raw = self.files[name]
        if info.compress_type == 0:
            return raw
        inflater = zlib.decompressobj(-15)
        try:
            data = inflater.decompress(raw, info.file_size + 1)
        except zlib.error as error:
            raise Wrong(name, str(error)) from None
        if len(data) != info.file_size or not inflater.eof or inflater.unused_data:
            raise Wrong(name, "its data are longer or shorter than its size")
        return data

    def lines(self, name):
        try:
            text = self.content(name).decode()
        except UnicodeDecodeError:
            raise Wrong(name, "it is not UTF-8") from None
        if text and not text.endswith("\n"):
            raise Wrong(name, "its last line has no line feed")
        return text.split("\n")[:-1]

    def parse(self, place, line):
        outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        try:
            value = json.loads(line, object_pairs_hook=once)
        except ValueError as error:
            raise Wrong(place, str(error)) from None
        if not isinstance(value, dict) or not value or re.search(r"\s", outside):
            raise Wrong(place, "it is not an object without white space")
        return value

    def rows(self, name):
        return [self.parse(f"{name}: line {index}", line) for index, line in enumerate(self.lines(name), 1)]


def thumbprint(x):
    text = lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("=")
    jwk = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % text(x)
    return text(hashlib.sha256(jwk.encode()).digest())


def read_keys(place, text):
    """Public keys by fingerprint, from a PEM or a JWK set."""
    if text.startswith("{"):
        raw = [base64.urlsafe_b64decode(key["x"] + "==") for key in json.loads(text)["keys"]]
    else:
        match = re.fullmatch("-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=\n]+)-----END PUBLIC KEY-----\n?", text)
        try:
            der = base64.b64decode(match[1]) if match else b""
        except ValueError:
            der = b""
        if len(der) != 44 or der[:12] != SPKI:
            raise Wrong(place, "it is not an Ed25519 key")
        raw = [der[12:]]
    return {thumbprint(x): x for x in raw}


def is_signed(x, signature, message):
    pem = base64.encodebytes(SPKI + x).decode()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("key", f"-----BEGIN PUBLIC KEY-----\n{pem}-----END PUBLIC KEY-----\n".encode()), ("sig", signature), ("in", message)):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content)
        command = "openssl pkeyutl -verify -pubin -inkey key -rawin -in in -sigfile sig".split()
        return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


def imprint_of(response):
    """The digest in a timestamp, as openssl reads it."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(response)
        file.flush()
        command = ["openssl", "ts", "-reply", "-in", file.name, "-text"]
        text = subprocess.run(command, capture_output=True, text=True).stdout
    if "Hash Algorithm: sha256" not in text:
        return None
    dump = text.split("Message data:\n", 1)[1]
    lines = re.findall(r"^    [0-9a-f]{4} - ((?:[0-9a-f]{2}[ -]){15}[0-9a-f]{2})", dump, re.M)[:2]
    return re.sub("[ -]", "", "".join(lines))


def utc(text):
    if not re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)", text):
        raise ValueError(f"{text} is not a time")
    match = re.fullmatch(r"(.{10}).(.{8})(\.\d+)?(Z|([+-])(\d\d):?(\d\d)?)", text)
    moment = datetime.datetime.fromisoformat(f"{match[1]}T{match[2]}")
    if match[4] != "Z":
        shift = datetime.timedelta(hours=int(match[6]), minutes=int(match[7] or 0))
        moment = moment - shift if match[5] == "+" else moment + shift
    return moment.isoformat() + (match[3] or ".").ljust(4, "0")[:4] + "Z"


class Checker:
    def __init__(self, proof, manifest):
        self.proof, self.manifest = proof, manifest
        try:
            fields = json.loads(proof.content("fields.json"))
            self.event_columns, self.types = dict(fields["event"]), dict(fields["types"])
        except (KeyError, TypeError, ValueError) as error:
            raise Wrong("fields.json", f"it has another form: {error}") from None
        self.kinds = {OPERATOR: "human"}
        self.names = {OPERATOR: [(0, "Operator", False)]}
        self.members = {}

    # People

    def person_differs(self, shown, user, sequence, kind=None):
        """None if an object shows the user as it was at a sequence; at asOf if that is None."""
        if not isinstance(shown, dict) or set(shown) != {"uniqueId", "name", "kind"}:
            return True
        if shown["uniqueId"] != user or shown["kind"] != (kind or self.kinds.get(user, shown["kind"])):
            return True
        names = self.names.get(user)
        if names is None:
            return False
        if not names:
            return shown["name"] not in ("Former member", user)
        valid = [name for at, name, late in names if (not late if sequence is None else at <= sequence)]
        return shown["name"] != (valid[-1] if valid else names[0][1])

    def value_differs(self, kind, stored, shown, sequence, user_kind=None):
        if stored is None or kind == "plain":
            return not equal(stored, shown)
        if kind == "time":
            return shown != utc(stored)
        if kind == "people":
            pairs = isinstance(shown, list) and len(shown) == len(stored) and zip(stored, shown)
            return pairs is False or any(self.person_differs(one, user, sequence) for user, one in pairs)
        return self.person_differs(shown, stored, sequence, user_kind)

    def fields_differ(self, kind_of_resource, values, shown, full, sequence):
        """The first field that is not as stored values give it."""
        known = self.types[kind_of_resource]
        expected = set()
        for column, value in values.items():
            field, kind = known["columns"][column]["field"], known["columns"][column]["kind"]
            if field is None:
                continue
            expected.add(field)
            found = shown.get(field, MISSING)
            if full:
                pairs = [(value, found)]
            elif isinstance(found, dict) and set(found) == {"from", "to"}:
                pairs = [(value["from"], found["from"]), (value["to"], found["to"])]
            else:
                return field
            if any(self.value_differs(kind, one, other, sequence) for one, other in pairs):
                return field
        for derived in known["derived"] if full else []:
            expected.add(derived["field"])
            if shown.get(derived["field"]) is not equal(shown.get(derived["of"]), derived["equals"]):
                return derived["field"]
        return next((field for field in shown if field not in expected), None)

    # Events

    def read_chain(self):
        """Yields each event in its sealed parts, after checking the chain."""
        name, period = "events.ndjson", (self.manifest["from"], self.manifest["asOf"])
        lines = self.proof.lines(name)
        first = self.proof.parse(f"{name}: line 1", lines[0]) if lines else {}
        if set(first) != {"sequence", "hash"} or type(first["sequence"]) is not int:
            raise Wrong(f"{name}: line 1", "it is not the seal before the first event")
        pattern = "[0-9a-f]{64}" if first["sequence"] else ""
        if not re.fullmatch(pattern, first["hash"]) or (period[0] is None and first["sequence"] != 0):
            raise Wrong(f"{name}: line 1", "it is not the seal before the first event of the period")
        self.first, sequence, digest = first["sequence"], first["sequence"], first["hash"]
        self.chain = {sequence: (digest, None)}
        self.events, inside = [], True
        for line in lines[1:]:
            sequence += 1
            place = f"{name}: sequence {sequence}"
            line = self.proof.parse(place, line)
            if set(line) - {"inPeriod"} != {"sequence", "hash", "sealed", "event"} or not equal(line["sequence"], sequence):
                raise Wrong(place, "it is missing")
            digest = hashlib.sha256(bytes.fromhex(digest) + line["sealed"].encode()).hexdigest()
            if line["hash"] != digest:
                raise Wrong(place, "the hash is wrong")
            parts = line["sealed"].split("\n")
            if len(parts) != 4 or parts[0] != str(sequence) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", parts[1]):
                raise Wrong(place, "the sealed text is wrong")
            columns, changes = json.loads(parts[2]), json.loads(parts[3])
            if columns["company_id"] != self.manifest["company"]["id"]:
                raise Wrong(place, "it is an event of another company")
            inside = (period[0] is None or period[0] <= parts[1]) and parts[1] <= period[1]
            if line.get("inPeriod", MISSING) is not (MISSING if inside else False):
                raise Wrong(place, "inPeriod is wrong")
            if not inside and sequence == self.first + 1:
                raise Wrong(place, "the first event is not in the period")
            self.chain[sequence] = (digest, parts[1])
            self.events.append((sequence, parts[1], columns, changes, line["event"]))
        if not inside:
            raise Wrong(f"{name}: sequence {sequence}", "the last event is not in the period")
        if self.manifest["head"] != {"sequence": sequence, "hash": digest}:
            raise Wrong(f"{name}: sequence {sequence}", "it is not the head of the manifest")

    def learn_users(self):
        as_of, user_of_key = self.manifest["asOf"], {}
        self.digests, self.joined = {}, set()
        for sequence, time, columns, changes, _ in self.events:
            action, key = columns["action"], columns["resource_id"]
            created = action.endswith(".create")
            change = lambda column: changes.get(column) if created else (changes.get(column) or {}).get("to")
            if columns["resource_type"] == "member":
                if created:
                    self.kinds[key] = "human"
                    if time <= as_of:
                        self.joined.add(key)
                if (created or not action.endswith(".delete")) and change("identity"):
                    self.digests[sequence] = (key, change("identity"), time > as_of)
            elif columns["resource_type"] == "apiKey":
                if created:
                    user_of_key[key] = changes["user_id"]
                    self.kinds[changes["user_id"]] = "integration"
                if key in user_of_key and not action.endswith(".delete") and change("name") is not None:
                    self.names.setdefault(user_of_key[key], []).append((sequence, change("name"), time > as_of))
        for member in self.members.values():
            late = {sequence for sequence, digest in self.digests.items() if digest[2]}
            identities = [(one["sequence"], one["name"], one["sequence"] in late) for one in member["identities"]]
            self.names[member["uniqueId"]] = identities
            self.kinds[member["uniqueId"]] = "human"

    def compare_event(self, sequence, time, columns, changes, shown):
        place = f"events.ndjson: sequence {sequence}"
        action, resource = columns["action"], columns["resource_type"]
        values = {**columns, "occurred_at": time, "changes": changes}
        unknown = [column for column in values if column not in self.event_columns]
        unknown += [column for column in changes if column not in self.types.get(resource, {"columns": {}})["columns"]]
        if unknown:
            raise Wrong(place, f"fields.json lacks {unknown[0]}")
        expected, parts = {"sequence", "deleted"}, {}
        differs = not equal(shown.get("sequence"), sequence) or shown.get("deleted") is not action.endswith(".delete")
        for column, known in self.event_columns.items():
            field, _, part = (known["field"] or "").partition(".")
            if not field or column == "user_kind":
                continue
            expected.add(field)
            value = values.get(column)
            if part:
                parts.setdefault(field, {})
                if value is not None:
                    parts[field][part] = value
            elif column == "changes":
                full = action.endswith((".create", ".delete"))
                differs = differs or not isinstance(shown.get(field), dict) or self.fields_differ(resource, changes, shown[field], full, sequence)
            else:
                found = shown.get(field, MISSING)
                differs = differs or self.value_differs(known["kind"], value, found, sequence, columns.get("user_kind"))
        differs = differs or any(not equal(value or None, shown.get(field, MISSING)) for field, value in parts.items())
        if differs or set(shown) != expected:
            raise Wrong(place, "the event is not that of the sealed text")

    # Registers

    def rebuild(self):
        """The states of all resources at asOf: by type and id."""
        self.states, waiting = {}, {}
        for event in self.events:
            key = (event[2]["resource_type"], event[2]["resource_id"])
            waiting.setdefault(key, []).append(event)
            if event[1] > self.manifest["asOf"]:
                continue
            for sequence, time, columns, changes, _ in waiting.pop(key):
                created, deleted = columns["action"].endswith(".create"), columns["action"].endswith(".delete")
                before = self.states.get(key[0], {}).get(key[1], {"values": {}, "version": 0, "there": False})
                to = {column: change["to"] for column, change in changes.items()} if not (created or deleted) else {}
                state = {
                    "values": changes if created or deleted else {**before["values"], **to},
                    "there": created or (before["there"] and not deleted),
                    "version": changes.get("version") if created else (before["version"] or 0) + 1,
                    "last": (time, columns["user_id"], columns.get("user_kind")),
                }
                self.states.setdefault(key[0], {})[key[1]] = state

    def row_differs(self, kind, state, row):
        columns = self.types[kind]["columns"]
        values = {column: known["default"] for column, known in columns.items() if "default" in known}
        values.update(state["values"])
        own = {}
        if "version" in columns:
            own = {"version", "updatedAt", "updatedBy"}
            time, user, user_kind = state["last"]
            if not equal(row.get("version"), state["version"]):
                return "version"
            if row.get("updatedAt") != time:
                return "updatedAt"
            if self.person_differs(row.get("updatedBy"), user, None, user_kind):
                return "updatedBy"
        values = {column: value for column, value in values.items() if columns[column]["field"] not in own}
        given = {field: value for field, value in row.items() if field not in own}
        named = {columns[column]["field"] for column in values} | {one["field"] for one in self.types[kind]["derived"]}
        given = {field: value for field, value in given.items() if value is not None or field in named}
        return self.fields_differ(kind, values, given, True, None)

    def check_register(self, register, kind):
        name, frameworks = f"{register}.ndjson", self.manifest["frameworks"]
        rows = self.proof.rows(name)
        self.registers[register] = rows
        if self.manifest["from"] is None:
            columns = self.types[kind]["columns"]
            expected = [state for state in self.states.get(kind, {}).values() if state["there"]]
            order = "unique_id" if "unique_id" in columns else "id"
            expected.sort(key=lambda state: state["values"][order])
            if frameworks is not None and kind == "task":
                expected = [state for state in expected if state["values"]["framework_id"] in frameworks]
            if frameworks is not None and "resource" in columns:
                tasks = {row["uniqueId"] for row in self.registers["tasks"]}
                parent = lambda state: state["values"]["resource"]
                expected = [one for one in expected if parent(one)["type"] != "task" or parent(one)["uniqueId"] in tasks]
            for index, row in enumerate(rows):
                place = f"{name}: line {index + 1}"
                if index >= len(expected):
                    raise Wrong(place, "the events give no such row")
                field = self.row_differs(kind, expected[index], row)
                if field is not None:
                    raise Wrong(place, f"{field} is not what the events give")
            if len(rows) < len(expected):
                raise Wrong(f"{name}: line {len(rows) + 1}", "it is missing")
        if register in ("tasks", "vendors"):
            for index, row in enumerate(rows):
                if list(row) != list(rows[0]):
                    raise Wrong(f"{name}: line {index + 1}", "its keys differ from those of the first row")
            self.check_csv(register, kind, rows)

    def check_csv(self, register, kind, rows):
        name = f"{register}.csv"
        people = {known["field"] for known in self.types[kind]["columns"].values() if known["kind"] == "person"}
        text = self.proof.content(name).decode()
        records = list(csv.reader(io.StringIO(text[1:], newline=""), strict=True))
        if text[:1] != "\ufeff" or text[-2:] != "\r\n" or not records:
            raise Wrong(name, "it has no byte order mark, or no line break at its end")
        more = ["frameworkName", "departmentName", "gapTitles"] if register == "tasks" else []
        if not rows:
            if len(records) != 1:
                raise Wrong(name, "it has more rows than the register")
            return
        expected = [list(rows[0]) + more]
        names = lambda of, key: {row["id"]: row[key] for row in self.registers[of]}
        for row in rows:
            values = [value["name"] if field in people and value else value for field, value in row.items()]
            if more:
                titles = names("gaps", "title")
                values += [names("frameworks", "name").get(row["framework"]), names("departments", "name").get(row["departmentId"])]
                values.append([titles.get(gap) for gap in row["gaps"]])
            expected.append([self.cell(value) for value in values])
        for index, (record, wanted) in enumerate(zip(records, expected)):
            if record != wanted:
                raise Wrong(name, f"record {index + 1} is not that of {register}.ndjson")
        if len(records) != len(expected):
            raise Wrong(name, "it has more or fewer records than the register")

    @staticmethod
    def cell(value):
        if value is None:
            return ""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        guarded = not isinstance(value, (bool, int, float)) and re.match("'*[=+\\-@\t\r＝＋－＠]", text)
        return "'" + text if guarded else text

    def read_members(self):
        name, before = "members.ndjson", ""
        for index, row in enumerate(self.proof.rows(name), 1):
            place = f"{name}: line {index}"
            keys = {"uniqueId", "name", "kind", "role", "frameworks", "createdAt", "endedAt", "identities"}
            if set(row) != keys or row["kind"] != "human" or row["uniqueId"] <= before:
                raise Wrong(place, "it has other keys, or is not in the order of uniqueId")
            sequences = [one["sequence"] for one in row["identities"]]
            if sequences != sorted(set(sequences)) or sequences[-1:] > [self.manifest["head"]["sequence"]]:
                raise Wrong(place, "its identities are not in order")
            before = row["uniqueId"]
            self.members[before] = row

    def check_members(self):
        for index, (key, row) in enumerate(self.members.items(), 1):
            place = f"members.ndjson: line {index}"
            for one in row["identities"]:
                if set(one) != {"sequence", "name", "email", "salt", "proved"} or one["proved"] is not (one["sequence"] > self.first):
                    raise Wrong(place, f"proved of {one['sequence']} is wrong")
                text = "\n".join((one["salt"], one["name"], one["email"]))
                if one["proved"] and self.digests.get(one["sequence"], ())[:2] != (key, hashlib.sha256(text.encode()).hexdigest()):
                    raise Wrong(place, f"the identity of sequence {one['sequence']} is not that of the event")
            known = {one["sequence"] for one in row["identities"]}
            for sequence, (member, _, late) in self.digests.items():
                if known and member == key and not late and sequence not in known:
                    raise Wrong(place, f"the identity of sequence {sequence} is missing")
            if self.person_differs({"uniqueId": key, "name": row["name"], "kind": "human"}, key, None):
                raise Wrong(place, "the name is wrong")
            if self.manifest["from"] is not None:
                continue
            if key not in self.joined:
                raise Wrong(place, "the events have no such member")
            values, columns = self.states["member"][key]["values"], self.types["member"]["columns"]
            for column, known_column in columns.items():
                field = known_column["field"]
                value = values.get(column, known_column.get("default"))
                if field == "role" and values.get("ended_at") is not None:
                    value = None
                if field in ("role", "frameworks", "createdAt", "endedAt") and self.value_differs(known_column["kind"], value, row[field], None):
                    raise Wrong(place, f"{field} is not what the events give")
        for key in self.joined - set(self.members):
            raise Wrong("members.ndjson", f"{key} is missing")

    def check_evidence(self, listed):
        manifest, named = self.manifest, {}
        missing = {one["sha256"]: one["size"] for one in manifest["missing"]}
        for row in self.registers["evidence"]:
            if manifest["evidence"] and row["kind"] == "file":
                named[row["sha256"]] = row["size"]
        for digest, size in named.items():
            found = listed.get(f"files/{digest}")
            wanted = {"path": f"files/{digest}", "size": size, "sha256": digest}
            if (found is None) == (digest not in missing):
                raise Wrong(f"files/{digest}", "it must be in the ZIP or in missing")
            if (found is not None and found != wanted) or missing.get(digest, size) != size:
                raise Wrong(f"files/{digest}", "it is not the file of the evidence")
        for path in [*listed, *(f"files/{digest}" for digest in missing)]:
            if path.startswith("files/") and path[6:] not in named:
                raise Wrong(path, "it belongs to no evidence")

    def run(self, listed):
        self.registers = {}
        self.read_members()
        self.read_chain()
        self.learn_users()
        for event in self.events:
            try:
                self.compare_event(*event)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise Wrong(f"events.ndjson: sequence {event[0]}", f"it has another form: {error}") from None
        self.rebuild()
        for register, kind in REGISTERS:
            self.check_register(register, kind)
        self.check_members()
        self.check_evidence(listed)


def check_checkpoint(text, checker, trusted):
    place = "--checkpoint"
    point = json.loads(text)
    head = {key: point[key] for key in ("company", "sequence", "hash", "at")}
    if point["company"] != checker.manifest["company"]["id"]:
        raise Wrong(place, "it is of another company")
    if point["sequence"] not in checker.chain:
        raise Wrong(place, f"sequence {point['sequence']} is outside of the proof")
    digest, time = checker.chain[point["sequence"]]
    if digest != point["hash"] or time not in (None, point["at"]):
        raise Wrong(place, f"sequence {point['sequence']} is another one in the proof")
    if point["keyId"] not in trusted:
        return "signature not checked"
    message = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode()
    if not is_signed(trusted[point["keyId"]], base64.b64decode(point["signature"]), message):
        raise Wrong(place, "the signature is wrong")
    return "signature checked"


def verify(path, key_files=(), checkpoint=None):
    proof = Proof(path)
    given = {}
    for file in key_files:
        with open(file, encoding="utf-8") as opened:
            given.update(read_keys("--key", opened.read()))
    own = read_keys("signing-key.pem", proof.content("signing-key.pem").decode("latin-1"))
    fingerprint = next(iter(own))
    if given and fingerprint not in given:
        raise Wrong("signing-key.pem", f"{fingerprint} is not one of the given keys")
    text = proof.content("manifest.json")
    if not is_signed(own[fingerprint], proof.content("manifest.sig"), text):
        raise Wrong("manifest.json", "the signature does not match")
    manifest = json.loads(text, object_pairs_hook=once)
    keys = "product company from asOf frameworks evidence createdAt head files missing".split()
    if list(manifest) != keys or json.dumps(manifest, indent=2, ensure_ascii=False) + "\n" != text.decode():
        raise Wrong("manifest.json", "it has not the form of a manifest")
    lists = isinstance(manifest["files"], list) and isinstance(manifest["missing"], list)
    objects = isinstance(manifest["company"], dict) and isinstance(manifest["head"], dict)
    if not lists or not objects or set(manifest["company"]) != {"id", "name"} or set(manifest["head"]) != {"sequence", "hash"}:
        raise Wrong("manifest.json", "files, missing, company or head have another form")
    listed = {}
    for one in manifest["files"]:
        name = one["path"]
        if name not in proof.files or name in OUTSIDE:
            raise Wrong(name, "the manifest lists it, but it is not in the ZIP")
        if name in listed:
            raise Wrong(name, "the manifest lists it twice")
        listed[name] = one
        if proof.files[name][0].file_size != one["size"]:
            raise Wrong(name, "its size is not that of the manifest")
        if hashlib.sha256(proof.content(name)).hexdigest() != one["sha256"]:
            raise Wrong(name, "its SHA-256 is not that of the manifest")
    for name in proof.files:
        if name not in listed and name not in OUTSIDE:
            raise Wrong(name, "the manifest does not list it")
    if "manifest.tsr" in proof.files and imprint_of(proof.content("manifest.tsr")) != hashlib.sha256(text).hexdigest():
        raise Wrong("manifest.tsr", "it is not a timestamp of the manifest")
    checker = Checker(proof, manifest)
    checker.run(listed)
    continues = "no checkpoint"
    if checkpoint is not None:
        with open(checkpoint, encoding="utf-8") as opened:
            continues = check_checkpoint(opened.read(), checker, {**own, **given})
    rebuilt = "rebuilt" if manifest["from"] is None else "not rebuilt"
    sequence = manifest["head"]["sequence"]
    return f"the proof holds: head {sequence}, registers {rebuilt}, missing files: {len(manifest['missing'])}, signing key: {fingerprint}, {continues}"


def run(arguments):
    """Returns the exit status and the line."""
    path, keys, checkpoint, rest = None, [], None, list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "--key":
            keys.append(rest.pop(0))
        elif argument == "--checkpoint":
            checkpoint = rest.pop(0)
        else:
            path = argument
    try:
        return 0, verify(path, keys, checkpoint)
    except Wrong as error:
        return 1, str(error)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OSError) as error:
        return 1, str(Wrong("the proof", f"it has not the form of a proof: {error!r}"))


if sys.argv[1:] == ["--batch"]:
    for arguments in sys.stdin:
        print("%d\t%s" % run(json.loads(arguments)), flush=True)
else:
    status, line = run(sys.argv[1:])
    print(line)
    sys.exit(status)
