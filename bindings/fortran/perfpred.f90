! SPDX-License-Identifier: BSD-3-Clause
! Fortran 2008 binding of libperfpred: models, predictions, tuning, tuners.
!
! Compile this file with your own compiler, for module files are not exchanged between compilers, and link with -lperfpred. Handles
! are of type(c_ptr). Procedures that can fail have `status` (PERFPRED_OK or another number of perfpred/status.h) and an optional
! `message`, one line that names the thing at fault; results are untouched on failure. Places, of parameters, routines and variants,
! count from 1; 0 is none. doc/fortran.md tells more.
module perfpred
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_null_char, c_char, c_int, c_int64_t, c_size_t, c_double, &
                                         c_associated, c_f_pointer, c_loc, c_sizeof
  implicit none
  private

  integer(c_int), parameter, public :: perfpred_ok = 0, perfpred_no_memory = 1, perfpred_invalid = 2, &
    perfpred_not_found = 3, perfpred_missing = 7, perfpred_corrupt = 8, perfpred_other_machine = 10, perfpred_unmodelled = 12, &
    perfpred_out_of_domain = 13, perfpred_limit = 20, perfpred_ambiguous = 21

  type, bind(c), public :: perfpred_statistics
    real(c_double) :: min = 0, med = 0, max = 0, mean = 0, std = 0
  end type

  ! as in perfpred/plan.h; `size` is set by the procedures of this module
  type, bind(c), public :: perfpred_prediction
    integer(c_size_t) :: size = 0
    type(perfpred_statistics) :: time_s
    real(c_double) :: flops = 0
    type(perfpred_statistics) :: flops_per_s, efficiency
    real(c_double) :: data_bytes = 0, movement_bytes = 0, intensity_flops_per_byte = 0
    type(perfpred_statistics) :: bandwidth_bytes_per_s, efficiency_bandwidth
    real(c_double) :: roofline_flops_per_s = 0
    integer(c_int) :: compute_bound = 0, notes = 0
    integer(c_int64_t) :: calls = 0
    real(c_double) :: model_error = 0
    integer(c_int64_t) :: context_calls = 0, warm_calls = 0, cache_calls = 0
  end type

  type, bind(c), public :: perfpred_range
    integer(c_int64_t) :: lower = 8, upper = 256, step = 8
  end type

  type, bind(c), public :: perfpred_tuning
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: best = 0
    real(c_double) :: yield_default = 0
    integer(c_int64_t) :: default_value = 0, candidates = 0
    type(perfpred_prediction) :: prediction
  end type

  ! `variant` counts from 1 here
  type, bind(c), public :: perfpred_tuner_answer
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: value = 0
    integer(c_int) :: variant = 0, threads = 0
    real(c_double) :: time_s = 0
    integer(c_int) :: notes = 0
  end type

  type, bind(c) :: c_error
    integer(c_int) :: status, line, column
    character(kind=c_char) :: text(500)
  end type

  type, bind(c) :: c_load_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: force = 0
  end type

  type, bind(c) :: c_plan_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: extrapolate = 0, partial = 0, threads = 0
    type(c_ptr) :: blas = c_null_ptr
    integer(c_size_t) :: setup = 0
    integer(c_int) :: force = 0, warm = 0
    integer(c_int64_t) :: ld = 0
  end type

  type, bind(c) :: c_tuner_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: parameter = c_null_ptr
    type(perfpred_range) :: range
    type(c_ptr) :: plan = c_null_ptr
    integer(c_size_t) :: answers = 0
  end type

  public :: perfpred_version, perfpred_status_text
  public :: perfpred_context_create, perfpred_context_destroy
  public :: perfpred_models_load, perfpred_models_load_memory, perfpred_models_unref
  public :: perfpred_program_find, perfpred_program_unref
  public :: perfpred_plan_create, perfpred_plan_destroy, perfpred_plan_parameter, perfpred_plan_predict, &
            perfpred_plan_tune, perfpred_plan_evaluate
  public :: perfpred_tuner_create, perfpred_tuner_destroy, perfpred_tuner_routine, perfpred_tuner_variant, &
            perfpred_tuner_ask, perfpred_tuner_block_size

  interface
    function c_version() bind(c, name="perfpred_version")
      import :: c_ptr
      type(c_ptr) :: c_version
    end function
    function c_status_text(status) bind(c, name="perfpred_status_text")
      import :: c_ptr, c_int
      integer(c_int), value :: status
      type(c_ptr) :: c_status_text
    end function
    function c_strlen(text) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
    function c_context_create(context, error) bind(c, name="perfpred_context_create")
      import :: c_ptr, c_int, c_error
      type(c_ptr) :: context
      type(c_error) :: error
      integer(c_int) :: c_context_create
    end function
    subroutine perfpred_context_destroy(context) bind(c, name="perfpred_context_destroy")
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine
    function c_models_load(context, path, options, models, error) bind(c, name="perfpred_models_load")
      import :: c_ptr, c_int, c_char, c_error, c_load_options
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: path(*)
      type(c_load_options), intent(in) :: options
      type(c_ptr) :: models
      type(c_error) :: error
      integer(c_int) :: c_models_load
    end function
    function c_models_load_memory(context, text, length, name, options, models, error) &
        bind(c, name="perfpred_models_load_memory")
      import :: c_ptr, c_int, c_char, c_size_t, c_error, c_load_options
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: text(*), name(*)
      integer(c_size_t), value :: length
      type(c_load_options), intent(in) :: options
      type(c_ptr) :: models
      type(c_error) :: error
      integer(c_int) :: c_models_load_memory
    end function
    subroutine perfpred_models_unref(models) bind(c, name="perfpred_models_unref")
      import :: c_ptr
      type(c_ptr), value :: models
    end subroutine
    function c_program_find(context, name, program, error) bind(c, name="perfpred_program_find")
      import :: c_ptr, c_int, c_char, c_error
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: program
      type(c_error) :: error
      integer(c_int) :: c_program_find
    end function
    subroutine perfpred_program_unref(program) bind(c, name="perfpred_program_unref")
      import :: c_ptr
      type(c_ptr), value :: program
    end subroutine
    function c_plan_create(program, models, options, plan, error) bind(c, name="perfpred_plan_create")
      import :: c_ptr, c_int, c_error, c_plan_options
      type(c_ptr), value :: program, models
      type(c_plan_options), intent(in) :: options
      type(c_ptr) :: plan
      type(c_error) :: error
      integer(c_int) :: c_plan_create
    end function
    subroutine perfpred_plan_destroy(plan) bind(c, name="perfpred_plan_destroy")
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
    function c_plan_parameter(plan, name) bind(c, name="perfpred_plan_parameter")
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: c_plan_parameter
    end function
    function c_plan_predict(plan, parameters, count, prediction, error) bind(c, name="perfpred_plan_predict")
      import :: c_ptr, c_int, c_int64_t, c_size_t, c_error, perfpred_prediction
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(in) :: parameters(*)
      integer(c_size_t), value :: count
      type(perfpred_prediction) :: prediction
      type(c_error) :: error
      integer(c_int) :: c_plan_predict
    end function
    function c_plan_tune(plan, parameter, range, parameters, count, tuning, error) bind(c, name="perfpred_plan_tune")
      import :: c_ptr, c_int, c_int64_t, c_size_t, c_error, perfpred_range, perfpred_tuning
      type(c_ptr), value :: plan
      integer(c_int), value :: parameter
      type(perfpred_range), intent(in) :: range
      integer(c_int64_t), intent(in) :: parameters(*)
      integer(c_size_t), value :: count
      type(perfpred_tuning) :: tuning
      type(c_error) :: error
      integer(c_int) :: c_plan_tune
    end function
    function c_plan_evaluate(plan, configurations, configuration_count, parameter_count, medians_s, time_s, statuses, &
        error) bind(c, name="perfpred_plan_evaluate")
      import :: c_ptr, c_int, c_int64_t, c_size_t, c_double, c_error
      type(c_ptr), value :: plan, time_s, statuses
      integer(c_int64_t), intent(in) :: configurations(*)
      integer(c_size_t), value :: configuration_count, parameter_count
      real(c_double) :: medians_s(*)
      type(c_error) :: error
      integer(c_int) :: c_plan_evaluate
    end function
    function c_tuner_create(context, models, names, name_count, options, tuner, error) &
        bind(c, name="perfpred_tuner_create")
      import :: c_ptr, c_int, c_size_t, c_error, c_tuner_options
      type(c_ptr), value :: context, models
      type(c_ptr), intent(in) :: names(*)
      integer(c_size_t), value :: name_count
      type(c_tuner_options), intent(in) :: options
      type(c_ptr) :: tuner
      type(c_error) :: error
      integer(c_int) :: c_tuner_create
    end function
    subroutine perfpred_tuner_destroy(tuner) bind(c, name="perfpred_tuner_destroy")
      import :: c_ptr
      type(c_ptr), value :: tuner
    end subroutine
    function c_tuner_routine(tuner, name) bind(c, name="perfpred_tuner_routine")
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: tuner
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: c_tuner_routine
    end function
    function c_tuner_variant(tuner, routine, variant) bind(c, name="perfpred_tuner_variant")
      import :: c_ptr, c_int
      type(c_ptr), value :: tuner
      integer(c_int), value :: routine, variant
      type(c_ptr) :: c_tuner_variant
    end function
    function c_tuner_ask(tuner, routine, sizes, size_count, thread_limit, answer) bind(c, name="perfpred_tuner_ask")
      import :: c_ptr, c_int, c_int64_t, c_size_t, perfpred_tuner_answer
      type(c_ptr), value :: tuner
      integer(c_int), value :: routine, thread_limit
      integer(c_int64_t), intent(in) :: sizes(*)
      integer(c_size_t), value :: size_count
      type(perfpred_tuner_answer) :: answer
      integer(c_int) :: c_tuner_ask
    end function
    function c_tuner_block_size(tuner, routine, sizes, size_count, thread_limit, default_value) &
        bind(c, name="perfpred_tuner_block_size")
      import :: c_ptr, c_int, c_int64_t, c_size_t
      type(c_ptr), value :: tuner
      integer(c_int), value :: routine, thread_limit
      integer(c_int64_t), intent(in) :: sizes(*)
      integer(c_size_t), value :: size_count
      integer(c_int64_t), value :: default_value
      integer(c_int64_t) :: c_tuner_block_size
    end function
  end interface

contains

  ! --- Text ------------------------------------------------------------------------------------------------------------

  ! Of a C string; "" for a null pointer.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(pointer)) then
      text = ""
      return
    end if
    call c_f_pointer(pointer, letters, [c_strlen(pointer)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! A C string. Blanks at the end are those of a Fortran variable and go.
  function terminated(text) result(letters)
    character(*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(size(letters)) = c_null_char
  end function

  function text_of_error(error) result(text)
    type(c_error), intent(in) :: error
    character(:), allocatable :: text
    integer :: length, i
    length = 0
    do while (length < size(error%text) - 1)
      if (error%text(length + 1) == c_null_char) exit
      length = length + 1
    end do
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = error%text(i)
    end do
  end function

  function perfpred_version() result(text)
    character(:), allocatable :: text
    text = text_of(c_version())
  end function

  function perfpred_status_text(status) result(text)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: text
    text = text_of(c_status_text(status))
  end function

  ! --- Context, models, programs -----------------------------------------------------------------------------------------

  subroutine perfpred_context_create(context, status, message)
    type(c_ptr), intent(inout) :: context
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    type(c_error) :: error
    status = c_context_create(context, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  function load_options(force) result(options)
    logical, optional, intent(in) :: force
    type(c_load_options) :: options
    options%size = c_sizeof(options)
    if (present(force)) options%force = merge(1_c_int, 0_c_int, force)
  end function

  ! force: models of another machine are fine, and marked.
  subroutine perfpred_models_load(context, path, models, status, message, force)
    type(c_ptr), intent(in) :: context
    character(*), intent(in) :: path
    type(c_ptr), intent(inout) :: models
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    logical, optional, intent(in) :: force
    type(c_error) :: error
    status = c_models_load(context, terminated(path), load_options(force), models, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  ! name: what messages call the text.
  subroutine perfpred_models_load_memory(context, text, name, models, status, message, force)
    type(c_ptr), intent(in) :: context
    character(*), intent(in) :: text, name
    type(c_ptr), intent(inout) :: models
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    logical, optional, intent(in) :: force
    type(c_error) :: error
    status = c_models_load_memory(context, terminated(text), int(len_trim(text), c_size_t), terminated(name), &
                                  load_options(force), models, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  subroutine perfpred_program_find(context, name, program, status, message)
    type(c_ptr), intent(in) :: context
    character(*), intent(in) :: name
    type(c_ptr), intent(inout) :: program
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    type(c_error) :: error
    status = c_program_find(context, terminated(name), program, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  ! --- Plans -------------------------------------------------------------------------------------------------------------

  ! threads: of the setup; 0 or absent: any.
  subroutine perfpred_plan_create(program, models, plan, status, message, threads, extrapolate)
    type(c_ptr), intent(in) :: program, models
    type(c_ptr), intent(inout) :: plan
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    integer, optional, intent(in) :: threads
    logical, optional, intent(in) :: extrapolate
    type(c_plan_options) :: options
    type(c_error) :: error
    options%size = c_sizeof(options)
    if (present(threads)) options%threads = int(threads, c_int)
    if (present(extrapolate)) options%extrapolate = merge(1_c_int, 0_c_int, extrapolate)
    status = c_plan_create(program, models, options, plan, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  ! Place of a parameter, from 1; 0: there is none.
  function perfpred_plan_parameter(plan, name) result(place)
    type(c_ptr), intent(in) :: plan
    character(*), intent(in) :: name
    integer :: place
    place = int(c_plan_parameter(plan, terminated(name))) + 1
  end function

  subroutine perfpred_plan_predict(plan, parameters, prediction, status, message)
    type(c_ptr), intent(in) :: plan
    integer(c_int64_t), intent(in) :: parameters(:)
    type(perfpred_prediction), intent(inout) :: prediction
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    type(c_error) :: error
    prediction%size = c_sizeof(prediction)
    status = c_plan_predict(plan, parameters, size(parameters, kind=c_size_t), prediction, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  ! parameter: place of the one that varies, from 1.
  subroutine perfpred_plan_tune(plan, parameter, range, parameters, tuning, status, message)
    type(c_ptr), intent(in) :: plan
    integer, intent(in) :: parameter
    type(perfpred_range), intent(in) :: range
    integer(c_int64_t), intent(in) :: parameters(:)
    type(perfpred_tuning), intent(inout) :: tuning
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    type(c_error) :: error
    tuning%size = c_sizeof(tuning)
    tuning%prediction%size = c_sizeof(tuning%prediction)
    status = c_plan_tune(plan, int(parameter - 1, c_int), range, parameters, size(parameters, kind=c_size_t), tuning, &
                         error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  ! One configuration in each column; medians_s has a place for each, NaN where there is no prediction.
  subroutine perfpred_plan_evaluate(plan, configurations, medians_s, status, message)
    type(c_ptr), intent(in) :: plan
    integer(c_int64_t), contiguous, intent(in) :: configurations(:, :)
    real(c_double), contiguous, intent(inout) :: medians_s(:)
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    type(c_error) :: error
    if (size(medians_s) < size(configurations, 2)) then
      status = perfpred_invalid
      if (present(message)) message = "medians_s has fewer places than there are configurations"
      return
    end if
    status = c_plan_evaluate(plan, configurations, size(configurations, 2, c_size_t), &
                             size(configurations, 1, c_size_t), medians_s, c_null_ptr, c_null_ptr, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  ! --- Tuners ------------------------------------------------------------------------------------------------------------

  ! names: algorithms or operations; their places are the routines' ids. range: candidates, 8, 16, ... 256 where it is absent.
  subroutine perfpred_tuner_create(context, models, names, tuner, status, message, range)
    type(c_ptr), intent(in) :: context, models
    character(*), intent(in) :: names(:)
    type(c_ptr), intent(inout) :: tuner
    integer(c_int), intent(out) :: status
    character(:), allocatable, optional, intent(out) :: message
    type(perfpred_range), optional, intent(in) :: range
    character(kind=c_char), target :: texts(len(names) + 1, size(names))
    type(c_ptr) :: pointers(size(names))
    type(c_tuner_options) :: options
    type(c_error) :: error
    integer :: i
    do i = 1, size(names)
      texts(:len_trim(names(i)) + 1, i) = terminated(names(i))
      pointers(i) = c_loc(texts(1, i))
    end do
    options%size = c_sizeof(options)
    options%range = perfpred_range(0, 0, 0)
    if (present(range)) options%range = range
    status = c_tuner_create(context, models, pointers, size(names, kind=c_size_t), options, tuner, error)
    if (present(message)) message = text_of_error(error)
  end subroutine

  ! Id of a routine, from 1; 0: there is none.
  function perfpred_tuner_routine(tuner, name) result(routine)
    type(c_ptr), intent(in) :: tuner
    character(*), intent(in) :: name
    integer :: routine
    routine = int(c_tuner_routine(tuner, terminated(name))) + 1
  end function

  ! Name of the algorithm of an answer; "" if there is none.
  function perfpred_tuner_variant(tuner, routine, variant) result(name)
    type(c_ptr), intent(in) :: tuner
    integer, intent(in) :: routine
    integer(c_int), intent(in) :: variant
    character(:), allocatable :: name
    name = text_of(c_tuner_variant(tuner, int(routine - 1, c_int), variant - 1_c_int))
  end function

  ! thread_limit 0: none.
  subroutine perfpred_tuner_ask(tuner, routine, sizes, thread_limit, answer, status)
    type(c_ptr), intent(in) :: tuner
    integer, intent(in) :: routine, thread_limit
    integer(c_int64_t), intent(in) :: sizes(:)
    type(perfpred_tuner_answer), intent(inout) :: answer
    integer(c_int), intent(out) :: status
    answer%size = c_sizeof(answer)
    status = c_tuner_ask(tuner, int(routine - 1, c_int), sizes, size(sizes, kind=c_size_t), int(thread_limit, c_int), &
                         answer)
    if (status == perfpred_ok) answer%variant = answer%variant + 1_c_int
  end subroutine

  ! The value alone, or default_value where there is no answer, for whatever reason.
  function perfpred_tuner_block_size(tuner, routine, sizes, thread_limit, default_value) result(value)
    type(c_ptr), intent(in) :: tuner
    integer, intent(in) :: routine, thread_limit
    integer(c_int64_t), intent(in) :: sizes(:), default_value
    integer(c_int64_t) :: value
    value = c_tuner_block_size(tuner, int(routine - 1, c_int), sizes, size(sizes, kind=c_size_t), &
                               int(thread_limit, c_int), default_value)
  end function
end module
