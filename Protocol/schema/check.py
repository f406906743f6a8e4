"""Checks the sample streams, the vectors and examples of every answer against the schemas.

Needs python3 with jsonschema. Run from anywhere; exits 1 when something does not fit.
"""
import json,glob,base64,os,sys,warnings
warnings.simplefilter("ignore")
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
P=os.path.dirname(os.path.dirname(os.path.abspath(__file__)))+'/'
S={os.path.basename(f)[:-12]:json.load(open(f)) for f in glob.glob(P+'schema/*.json')}
reg=Registry().with_resources([(s["$id"],Resource.from_contents(s)) for s in S.values()])
for s in S.values(): Draft202012Validator.check_schema(s)
V={n:Draft202012Validator(s,registry=reg) for n,s in S.items()}
n=0; bad=0; beyond=0
def check(name,val,want,ctx):
    global n,bad
    n+=1
    if V[name].is_valid(val)!=want:
        bad+=1
        e=next(V[name].iter_errors(val),None)
        print("MISMATCH",name,want,ctx,str(val)[:150],(e.message[:200] if e else ''))
summary_zero={k:0 for k in ["lines","members_quarantined","reconciled","late","blank","control","messages","entities","seconds","events_per_second","db_bytes"]}
summary_zero["events"]={k:0 for k in ["applied","duplicate","ignored","quarantined","held"]}
def lines(run,f):
    if "input" in run: b="\n".join(run["input"]).encode("utf-8","surrogatepass")+b"\n"
    elif "input_base64" in run: b=base64.b64decode(run["input_base64"])
    else: b=open(os.path.join(os.path.dirname(f),run["input_file"]),'rb').read()
    if b.startswith(b'\xef\xbb\xbf'): b=b[3:]
    L=b.split(b"\n")
    if L[-1]==b'': L.pop()
    return L
for f in sorted(glob.glob(P+'vectors/*/*.json')):
    o=json.load(open(f)); check("vector",o,True,f)
    for e in o.get("export",[]): check("export-line",json.loads(e),True,f)
    for i,run in enumerate(o["runs"]):
        s={**summary_zero,**run["summary"]}; check("summary",s,True,f)
        check("gaps",{"libraries":s["libraries"]},True,f)
        q={}
        if len(o["runs"])==1:
            for r in o.get("quarantine",[]):
                if r.get("member") is None: q[r.get("line")]=r["reason"]
        for k,b in enumerate(lines(run,f),1):
            if not b.strip(b" \t\r"): continue
            try: val=json.loads(b.decode())
            except Exception: continue
            kind=[x for x in ("control-line","message-line","event-line") if V[x].is_valid(val)]
            n+=1
            reason=q.get(k)
            if reason is None and len(o["runs"])==1:
                if len(kind)!=1: bad+=1; print("LINE",f,k,kind,b[:120])
            elif reason in ("bad_shape","bad_type","missing_id","bad_sequence","id_too_long") and kind:
                beyond+=1
for f in glob.glob(P+'streams/*.ndjson'):
    for l in open(f):
        v=json.loads(l); check("control-line" if v=="Subscribed" else "event-line",v,True,f)
check("ack",{"ack":{"lines":3,"libraries":{"a":3}}},True,'');check("ack",{"ack":{"lines":-3,"libraries":{}}},False,'')
check("get",{"entity":None,"pending":False,"sequence":None,"stale":False,"miss":"absent"},True,'')
check("get",{"entity":None,"pending":False,"sequence":None,"stale":False,"miss":None},False,'')
check("get",{"entity":{"id":"x"},"pending":False,"sequence":3,"stale":False,"miss":None},True,'')
check("list",{"entities":[{"id":"x"}],"next":"file:x"},True,'')
check("quarantine-record",{"number":1,"kind":"line","line":1,"offset":0,"reason":"not_json","library_id":None,"sequence":None,"received_at":"2026-01-22T10:05:34.149Z","byte_count":4,"complete":True,"text":"nope"},True,'')
layer={"pending_id":"p","state":"pending","changes":[{"op":"patch","resource_type":"file","id":"1","fields":{"a":None},"unset":["b"]},{"op":"put","resource_type":"file","resource":{"id":"2"}},{"op":"delete","resource_type":"file","id":"3"},{"op":"remove_field","resource_type":"file","id":"1","field":"c"}],"library_id":"","depends_on":["q"]}
check("pending",{"pending":[]},True,'')
check("pending",{"pending":[layer]},True,'')
check("pending",{"pending":[{**layer,"state":"settled"}]},False,'')
check("pending",{"pending":[{**layer,"along":[{"resource_type":"file","id":"4"}]}]},True,'');check("pending",{"pending":[{**layer,"along":[]}]},False,'')
check("remove",{"dry_run":False,"removed":2},True,'');check("remove",{"dry_run":True,"removed":0,"keys":["file:1"]},True,'');check("remove",{"dry_run":True,"removed":1,"keys":[]},False,'');check("remove",{"dry_run":False,"removed":2,"libraries":{"a":2}},True,'');check("remove",{"dry_run":False,"removed":2,"libraries":{"a":0}},False,'')
check("pending",{"pending":[{**layer,"changes":[]}]},False,'')
check("pending",{"pending":[{**layer,"changes":[{"op":"patch","resource_type":"file","id":"1","fields":{},"unset":[]}]}]},False,'')
check("verify",{"ok":True,"entities":3,"payload_bytes":60,"digest":"0123456789abcdef","field_values":0,"queries":1,"missing":0,"layers":1,"problem_count":0,"problems":[]},True,'')
check("verify",{"ok":True,"entities":3,"payload_bytes":60,"digest":"0123456789abcdef","field_values":0,"queries":1,"missing":0,"layers":1,"problem_count":1,"problems":["damaged query, row 1: checksum_mismatch"]},False,'')
d={"level":"warning","topic":"machine","code":"room","what":"x","where":"/","advice":"y"}
check("doctor",{"path":"/a","level":"warning","findings":[d]},True,'');check("doctor",{"path":"/a","level":"warning","findings":[{**d,"advice":""}]},False,'');check("doctor",{"path":"/a","level":"ok","findings":[{**d,"code":"other"}]},False,'')
q={"library_id":"a","method":"files.list","input":{"n":1.1},"resource_type":"file","count":1,"local":False,"membership":None,"tags":None,"as_of":3,"stored_at":"2026-01-22T10:05:34.149Z","ttl":1.5,"stale_since":None}
check("queries",q,True,'');check("queries",{**q,"keys":["file:x"]},True,'');check("queries",{**q,"keys":["file:x","file:x"]},False,'');check("queries",{**q,"stored_at":None},False,'')
p={"ok":True,"error_count":0,"errors":[],"types":[{"name":"Song","kind":"type","max_age":60,"inherits":False,"source":"own","interface":None,"fields":[{"name":"artist","type":"Artist","composite":True,"max_age":None,"inherits":False,"source":"interface","interface":"Media","cascades":True}]}]}
check("policy",p,True,'');check("policy",{**p,"ok":False},False,'');check("policy",{"ok":False,"error_count":1,"errors":[{"code":"unknown_type","line":1,"column":8,"message":"no"}],"types":[]},True,'')
g={"file":"a","ok":False,"operation_count":1,"fragment_count":0,"code":"invalid_document","message":"no","errors":[{"rule":"unknown_field","line":1,"column":3,"message":"no"}]}
check("graphql-check",{"ok":False,"schema_errors":[],"documents":[g]},True,'');check("graphql-check",{"ok":False,"schema_errors":[],"documents":[{**g,"code":"other"}]},False,'');check("graphql-check",{"ok":False,"schema_errors":[],"documents":[{**g,"errors":[{"rule":"x","line":0,"column":1,"message":"no"}]}]},False,'')
z={"applied":0,"duplicate":0,"ignored":0,"quarantined":0,"held":0}
check("stats",{"entities":1,"queries":0,"observers":0,"pending":0,"memory_bytes":1,"disk_bytes":1,"hits":0,"misses":{"absent":1},"evictions":0,"notifications":0,"libraries":{},"storage":"ok","lines":0,"events":z,"members_quarantined":0,"reconciled":0,"late":0,"blank":0,"control":0,"messages":0},True,'')
# Transcripts: requests by their method, and what is expected of the cache, as far as it is written out.
def holds_placeholder(v):
    if isinstance(v,str): return v=="<any>" or v.startswith("<=")
    if isinstance(v,dict): return "..." in v or any(holds_placeholder(x) for x in v.values())
    return isinstance(v,list) and any(holds_placeholder(x) for x in v)
def part(name,d): return Draft202012Validator({"$ref":S[name]["$id"]+"#/$defs/"+d},registry=reg)
NUMBER={e["properties"]["data"]["properties"]["code"]["const"]:e["properties"]["code"]["const"] for e in S["session-answer"]["$defs"]["error"]["oneOf"] if "data" in e["properties"]}
def put(f,v):
    """A transcript's answer with every placeholder filled: what it says of the rest must still fit."""
    filled={"message":"x","patch":[],"next_attempt_at":0,"at":0,"as_of":0,"age":0,"headers":[],"reason":"dropped"}
    if isinstance(v,dict):
        # "..." stands for any other members; the number of an error follows from its name.
        v={k:(filled[k] if x=="<any>" and k in filled else 1 if k=="subscription" and str(x).startswith("<=") else x) for k,x in ((k,put(f,x)) for k,x in v.items()) if k!="..."}
        if v.get("code")=="<any>" and isinstance(v.get("data"),dict): v["code"]=NUMBER[v["data"]["code"]]
        return v
    return [put(f,x) for x in v] if isinstance(v,list) else v
for f in sorted(glob.glob(P+'vectors/sessions/*.ndjson')):
    asked={}; called={}; refused=os.path.basename(f).startswith(("wrong-params","array-params"))
    steps=[json.loads(l) for l in open(f)]
    for i,o in enumerate(steps[1:],2):
        ctx=f+":"+str(i)
        said=o.get("lines",o.get("unordered",[o["line"]] if "line" in o else []))
        for v in said:
            for m in v if isinstance(v,list) else [v]:
                if not isinstance(m,dict): continue
                if o["say"]=="host":
                    if "method" in m and isinstance(m.get("method"),str): asked[json.dumps(m.get("id"))]=m
                    elif isinstance(m.get("id"),str) and m["id"] in called and "result" in m and called[m["id"]]!="used" and not any(x in f for x in ("rubbish","bad-events","bad-answer","not-graphql")):
                        n+=1; name=called[m["id"]]; called[m["id"]]="used"
                        if not part("session-call-answer",name).is_valid(m["result"]): bad+=1; print("CALL ANSWER",ctx)
                elif "method" in m and "id" in m:
                    called[m["id"]]=m["method"]; check("session-call",{**m,"id":"tm-1"},True,ctx)
                elif "method" in m: check("session-notification",put(f,m),True,ctx)
                else:
                    q=asked.get(json.dumps(m.get("id")))
                    if "error" in m: check("session-answer",put(f,m),True,ctx)
                    if q is None: continue
                    fits=V["session-request"].is_valid(put(f,q)); n+=1
                    if "result" in m:
                        if not fits: bad+=1; print("REQUEST",ctx,str(q)[:150])
                        if holds_placeholder(m["result"]): continue
                        n+=1
                        for e in part("session-result",q["method"]).iter_errors(m["result"]): bad+=1; print("RESULT",ctx,e.message[:200])
                    elif refused and m["error"]["code"]==1004 and fits: beyond+=1
print(n,"checked,",bad,"bad;",beyond,"refused lines that only the engine can tell (see README.md)")
sys.exit(1 if bad else 0)
