"""A compiler pipeline for kernels: quicker to compile, and quicker to run, than numba's own.

An *entry kernel* is called by Python, an *inner kernel* by other kernels. On its own, numba gives
every inner kernel an entry point for Python, and compiles it to machine code once separately and
again in each of its callers. Here an inner kernel stays in LLVM's intermediate representation, and
only entry kernels become machine code, together with the inner kernels that they need.

On its own, numba also counts references to arrays wherever they are passed on. A kernel that makes
no array need not count them, since its caller keeps the arrays alive. Then there is less to
compile, and loops have no atomic instructions.
"""

from types import FunctionType

from numba import njit
from numba.core import ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes

# Operations that may return an array kept alive elsewhere: a view of it, or a tuple and its items.
VIEW_OPERATIONS = {"getattr", "getitem", "static_getitem", "exhaust_iter", "cast"}
VIEW_OPERATIONS |= {"build_tuple", "getiter", "iternext", "pair_first", "pair_second"}


@register_pass(mutates_CFG=False, analysis_only=True)
class DisableReferenceCounting(AnalysisPass):
    """Turn reference counting off in a kernel that makes no array."""

    _name = "shoal_disable_reference_counting"

    def __init__(self):
        AnalysisPass.__init__(self)

    def run_pass(self, state):
        """Run the rest of the pipeline in a context without reference counting."""
        if not makes_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def makes_arrays(state):
    """Return whether a kernel may make, copy or return an array; if in doubt, it may."""
    models = state.targetctx.data_model_manager

    def is_reference_counted(numba_type):
        return models[numba_type].contains_nrt_meminfo()

    if state.func_ir.generator_info or is_reference_counted(state.return_type):
        return True
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if isinstance(statement, ir.SetItem | ir.StaticSetItem):
                if is_reference_counted(state.typemap[statement.value.name]):
                    return True  # where source and target overlap, a copy is made
            elif isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
                is_array = is_reference_counted(state.typemap[statement.target.name])
                if is_array and not is_view(statement.value, state.typemap):
                    return True
    return False


def is_view(expression, typemap):
    """Return whether an expression returns a view of an existing value, not a copy."""
    if expression.op == "call":
        return isinstance(typemap[expression.func.name], types.NamedTupleClass)
    if expression.op == "getitem":
        index = typemap[expression.index.name]
        indices = index.types if isinstance(index, types.BaseTuple) else (index,)
        return not any(isinstance(entry, types.Array) for entry in indices)
    return expression.op in VIEW_OPERATIONS


class EntryCompiler(Compiler):
    """Numba's own pipeline, without reference counting where it is not needed."""

    def define_pipelines(self):
        """Return the passes to run."""
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(DisableReferenceCounting, AnnotateTypes)
            pipeline.finalize()
        return pipelines


class InnerCompiler(EntryCompiler):
    """The pipeline of an inner kernel, which only other kernels call."""

    def define_pipelines(self):
        """Return the passes to run; they write into a library without machine code."""
        name = self.state.func_id.func_qualname
        self.state.library = IntermediateLibrary(self.state.targetctx.codegen(), name)
        return super().define_pipelines()


def use_inner_kernel(kernel, **options):
    """Let other kernels call an inner kernel of the same code instead of the entry ``kernel``."""
    inner = njit(pipeline_class=InnerCompiler, no_cpython_wrapper=True, **options)(
        copy_with_new_name(kernel.py_func)
    )
    kernel.get_call_template, kernel.get_overload = inner.get_call_template, inner.get_overload


def copy_with_new_name(function):
    """Return a function with the same code and another name, so that numba distinguishes them."""
    attributes = function.__name__, function.__defaults__, function.__closure__
    copy = FunctionType(function.__code__, function.__globals__, *attributes)
    copy.__module__, copy.__qualname__ = function.__module__, f"{function.__qualname__}.inner"
    return copy


class IntermediateLibrary(JITCodeLibrary):
    """An inner kernel in intermediate representation, for the entry kernels that need it."""

    @property
    def codegen(self):
        """The library itself, in place of a code generator: numba only sets environments."""
        return self

    def set_env(self, name, env):
        """Do nothing: environments are for Python objects, and an inner kernel uses none."""

    def get_pointer_to_function(self, name):
        """Return no address, since there is no machine code."""
        return 0

    def _optimize_final_module(self):
        """Do nothing: the entry kernel is optimised as a whole."""

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True
